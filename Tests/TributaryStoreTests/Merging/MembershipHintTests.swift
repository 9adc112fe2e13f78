import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges

@testable import TributaryStore

/// Inserts find the references to their objects, however many references wait for one object.
@Suite(.timeLimit(.minutes(30))) struct MembershipHintTests {
    /// Applies more references to the first department than one lookup reads, then a few to the second.
    private func waiting() throws -> Replica {
        let replica = try Replica()
        let many = (1...(MembershipHint.limit + 5)).map { number in
            Change.insert("Employee", 1_000 + number, ["department": .to(11)])
        }
        let few = (1...3).map { Change.insert("Employee", $0, ["department": .to(12)]) }
        try replica.apply(ForeignTransaction(1, 1, clock: 1, many + few))
        return replica
    }

    private static let departments = [
        Change.insert("Department", 11, ["title": "a"]), .insert("Department", 12, ["title": "b"]),
    ]

    @Test func `a slice of inserts shows all references to each of its objects`() throws {
        let replica = try waiting()
        try replica.apply(ForeignTransaction(2, 1, clock: 2, Self.departments))
        for number in [1, 3, 1_001, 1_000 + MembershipHint.limit] {
            let expected = UniqueID.sample(number > 1_000 ? 11 : 12)
            #expect(try replica.values("Employee", .sample(number))?["department"] == .reference(expected))
        }
    }

    @Test func `the bulk path shows all references to each of its objects`() throws {
        let replica = try waiting()
        try replica.apply(waiting: [ForeignTransaction(2, 1, clock: 2, Self.departments)])
        #expect(try replica.values("Employee", .sample(2))?["department"] == .reference(.sample(12)))
        #expect(try replica.values("Employee", .sample(1_001))?["department"] == .reference(.sample(11)))
    }

    @Test func `a hint never excludes an inserted object`() {
        var hint = MembershipHint()
        #expect(!hint.mayContain(.sample(1)))
        for number in 1...MembershipHint.limit { hint.insert(.sample(number)) }
        #expect(hint.mayContain(.sample(1)) && !hint.mayContain(.sample(0)))
        hint.insert(.sample(MembershipHint.limit + 1))
        #expect(hint.mayContain(.sample(1)) && hint.mayContain(.sample(0)), "it holds no more than its limit")
    }
}
