import TestSupport
import Testing
import TributaryChanges
import TributaryStore

@testable import Tributary

/// Derived numbers that their attribute cannot hold.
struct DerivedBoundsTests {
    private static func attribute(_ name: String, _ type: AttributeType, _ expression: String? = nil) -> Attribute {
        var attribute = Attribute(name: name, type: type)
        attribute.isOptional = true
        attribute.derivationExpression = expression
        return attribute
    }

    private static func open(_ folder: TemporaryFolder) async throws -> PersistentContainer {
        var team = EntityDefinition(name: "Team")
        team.attributes = [
            attribute("short", .integer16, "members.@sum.pay"), attribute("long", .integer64, "members.@sum.pay"),
            attribute("least", .integer64, "members.@min.pay"), attribute("exact", .decimal, "members.@sum.pay"),
        ]
        var members = Relationship(name: "members", destination: "Member", inverse: "team")
        members.isToMany = true
        members.isOptional = true
        team.relationships = [members]
        var member = EntityDefinition(name: "Member")
        member.attributes = [attribute("pay", .integer64)]
        var owner = Relationship(name: "team", destination: "Team", inverse: "members")
        owner.isOptional = true
        member.relationships = [owner]
        let configuration = StoreConfiguration(
            path: folder.path("store.sqlite"),
            name: "derived",
            model: try Model(version: "1", entities: [team, member])
        )
        return try await PersistentContainer(store: Store.open(configuration), clock: ManualClock())
    }

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
        let container = try await Self.open(folder)
        for (pays, short, long, exact) in Self.cases {
            try await container.performBackgroundTask { context in
                let team = try context.insert(entity: "Team")
                // Something that fits is there before.
                let first = try context.insert(entity: "Member")
                try first.setValue(.integer(7), forKey: "pay")
                try team.link(first, forKey: "members")
                try context.save()
                #expect(try team.value(forKey: "short") == .integer(7))
                context.delete(first)
                for pay in pays {
                    let member = try context.insert(entity: "Member")
                    try member.setValue(.integer(pay), forKey: "pay")
                    try team.link(member, forKey: "members")
                }
                try context.save()
                #expect(try team.value(forKey: "short") == short, "\(pays)")
                #expect(try team.value(forKey: "long") == long, "\(pays)")
                #expect(try team.value(forKey: "least") == .integer(pays.min() ?? 0), "\(pays)")
                #expect(try team.value(forKey: "exact") == .decimal(exact), "\(pays)")
            }
        }
        try await container.close()
    }
}
