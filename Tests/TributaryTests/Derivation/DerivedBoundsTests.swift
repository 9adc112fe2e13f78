import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Derived numbers that their attribute cannot hold.
struct DerivedBoundsTests {
    private static let cases: [(pays: [Int64], short: PropertyValue, long: PropertyValue, exact: String)] = [
        ([1, 2], .integer(3), .integer(3), "3"),
        ([32_767], .integer(32_767), .integer(32_767), "32767"),
        ([32_767, 1], .null, .integer(32_768), "32768"),
        ([.max], .null, .integer(.max), "9223372036854775807"),
        ([.max, 1], .null, .null, "9223372036854775808"),
        ([.min, -1], .null, .null, "-9223372036854775809"),
        ([.max, .max, .max, .max], .null, .null, "36893488147419103228"),
    ]

    @Test
    func aSumThatDoesNotFitIsNone() async throws {
        let folder = try TemporaryFolder("derived-bounds")
        let container = try await DerivedModel.open(folder)
        for (pays, short, long, exact) in Self.cases {
            try await container.performBackgroundTask { context in
                let team = try context.insert(entity: "Team")
                // Something that fits is there before.
                let first = try context.insert(entity: "Member")
                try first.setValue(.integer(7), forKey: "points")
                try team.link(first, forKey: "members")
                try context.save()
                #expect(try team.value(forKey: "shortSum") == .integer(7))
                context.delete(first)
                for pay in pays {
                    let member = try context.insert(entity: "Member")
                    try member.setValue(.integer(pay), forKey: "points")
                    try team.link(member, forKey: "members")
                }
                try context.save()
                #expect(try team.value(forKey: "shortSum") == short, "\(pays)")
                #expect(try team.value(forKey: "longSum") == long, "\(pays)")
                #expect(try team.value(forKey: "leastPoints") == .integer(pays.min() ?? 0), "\(pays)")
                #expect(try team.value(forKey: "exactSum") == .decimal(exact), "\(pays)")
            }
        }
        try await container.close()
    }
}
