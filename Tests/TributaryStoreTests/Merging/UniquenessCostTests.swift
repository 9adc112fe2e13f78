import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The cost of objects that share unique keys, in instructions of SQLite's virtual machine.
@Suite struct UniquenessCostTests {
    private enum Form: CaseIterable {
        /// All objects have one key.
        case oneKey
        /// Each object has a key of the object before it and one of the object after it.
        case chain
        /// All objects have one key, and its owner is deleted at last.
        case freed
        /// No two objects have one key.
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
        let transaction = ForeignTransaction(1, 1, clock: 1, people)
        let last = ForeignTransaction(1, 2, clock: 2, deletion)
        var steps = 0
        try replica.store.write { write in
            try write.reportingProgress({ steps += 1 }) {
                for transaction in [transaction, last] {
                    try write.beginImport(writer: transaction.writer, header: transaction.header)
                    try write.apply(transaction.changes)
                    _ = try write.endImport()
                }
            }
        }
        return steps
    }

    @Test(arguments: Form.allCases) private func costIsLinear(form: Form) throws {
        let counts = try [1_000, 2_000, 4_000].map { try steps($0, form) }
        #expect(counts[0] > 0)
        // A quadratic cost would be four times as great.
        #expect(counts[1] <= 3 * counts[0], "\(form): \(counts)")
        #expect(counts[2] <= 3 * counts[1], "\(form): \(counts)")
    }
}
