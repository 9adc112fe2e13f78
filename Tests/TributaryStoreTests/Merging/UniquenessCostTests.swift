import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The cost of objects that share unique keys, in instructions of SQLite's virtual machine.
@Suite struct UniquenessCostTests {
    private enum Form: CaseIterable {
        case oneKey
        /// Each object has a key of the object before it and one of the object after it.
        case chain
        /// All objects have one key, and its owner is deleted at last.
        case freed
        case distinct
    }

    private func steps(_ count: Int, _ form: Form) throws -> Int {
        let replica = try Replica.withUniqueKeys()
        let people = (1...count).map { number -> Change in
            switch form {
            case .oneKey, .freed: .insert("Person", number, ["email": "a"])
            case .chain:
                .insert(
                    "Person",
                    number,
                    ["email": .string("k\(number / 2)"), "badge": .integer(Int64((number + 1) / 2))]
                )
            case .distinct: .insert("Person", number, ["email": .string("k\(number)")])
            }
        }
        let deletion = form == .freed ? [Change.delete("Person", 1)] : []
        return try replica.steps { write in
            try write.apply(ForeignTransaction(1, 1, clock: 1, people))
            try write.apply(ForeignTransaction(1, 2, clock: 2, deletion))
        }
    }

    @Test(arguments: Form.allCases) private func costIsLinear(form: Form) throws {
        let counts = try [1_000, 2_000, 4_000].map { try steps($0, form) }
        #expect(counts[0] > 0)
        // A quadratic cost would be four times as great.
        #expect(counts[1] <= 3 * counts[0], "\(form): \(counts)")
        #expect(counts[2] <= 3 * counts[1], "\(form): \(counts)")
    }

    @Test func `writing the key that an object has costs nothing for its shadows`() throws {
        let counts = try [100, 200, 400].map { count in
            let replica = try Replica.withUniqueKeys()
            let people = (1...count).map { Change.insert("Person", $0, ["email": "a"]) }
            try replica.apply(ForeignTransaction(1, 1, clock: 1, people))
            return try replica.steps { write in
                for sequence in 2...UInt64(count) {
                    let update = Change.update("Person", 1, ["email": "a"])
                    try write.apply(ForeignTransaction(1, sequence, clock: sequence, update))
                }
            }
        }
        #expect(counts[0] > 0)
        #expect(counts[1] <= 3 * counts[0] && counts[2] <= 3 * counts[1], "\(counts)")
    }

    @Test func `a shadow does not make the digest look up each reference`() throws {
        func cost(hasShadow: Bool) throws -> Int {
            let replica = try Replica.withUniqueKeys()
            var changes = (1...500).map { Change.insert("Person", $0, ["email": .string("k\($0)")]) }
            changes += (1...500).map { Change.insert("Task", 1_000 + $0, ["person": .to($0)]) }
            changes.append(.insert("Person", 501, ["email": .string(hasShadow ? "k1" : "other")]))
            try replica.apply(ForeignTransaction(1, 1, clock: 1, changes))
            return try replica.steps { _ = try $0.reader.mergeState.digest() }
        }
        let (without, with) = (try cost(hasShadow: false), try cost(hasShadow: true))
        #expect(without > 0)
        #expect(with * 10 <= without * 11, "\(without) steps without a shadow, \(with) with one")
    }
}
