import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// The objects that deferred lines may write are found in memory and in a temporary file.
@Suite struct TouchedObjectsTests {
    /// The oracle is a set of all objects.
    @Test(arguments: [0, 1, 5, 40]) func `objects in the file are found like those in memory`(limit: Int) throws {
        var generator = SeededGenerator.printingSeed()
        let touched = TouchedObjects(limit: limit)
        var expected: Set<UniqueID> = []
        for round in 0..<400 {
            if round % 150 == 149 {
                touched.removeAll()
                expected = []
            }
            let count = Int.random(in: 1...3, using: &generator)
            let ids = (0..<count).map { _ in UniqueID.sample(Int.random(in: 1...200, using: &generator)) }
            #expect(try touched.containsAny(of: ids) == !expected.isDisjoint(with: ids))
            if Bool.random(using: &generator) {
                try touched.insert(ids)
                expected.formUnion(ids)
            }
            #expect(touched.isEmpty == expected.isEmpty)
        }
    }

    private func line(_ generator: inout SeededGenerator) -> Change {
        let (id, other) = (Int.random(in: 1...120, using: &generator), Int.random(in: 1...120, using: &generator))
        return switch Int.random(in: 0..<7, using: &generator) {
        case 0: .insert("P", id, ["x": "a"])
        case 1: .insert("Unknown", id, ["y": .to(other)])
        case 2: .update("P", id, ["x": "b", "unknown": 1])
        case 3: .link("P", id, "friends", [other])
        case 4: .unlink("P", id, "friends", [other])
        case 5: .delete("P", id)
        default: .update("P", id, ["x": "c"])
        }
    }

    /// The oracle is a store that has all objects in memory.
    @Test(arguments: [0, 1, 10]) func `the same lines are kept whatever is in memory`(limit: Int) throws {
        var generator = SeededGenerator.printingSeed()
        let transactions = (1...3).map { number in
            let changes = (0..<150).map { _ in line(&generator) }
            return ForeignTransaction(1, UInt64(number), clock: UInt64(number), changes)
        }
        let model = try Model(
            yaml: """
                version: "1"
                entities: {P: {attributes: {x: String?}, relationships: {friends: {to: P, many: true}}}}
                """
        )
        /// Returns the deferred writes of the store, and the lines that its baselines keep.
        func state(limit: Int) throws -> (deferred: [[String?]], kept: [String]) {
            let replica = try Replica(model)
            try replica.store.write { write in
                try write.engine().cursor.touched = TouchedObjects(limit: limit)
                for transaction in transactions { try write.apply(transaction, slice: 7) }
            }
            let columns = "version, position, part, entity, hex(id), operation, property, value, reason"
            let deferred = try PlainSQL(path: replica.path).rows(
                "SELECT \(columns) FROM tributary_parked ORDER BY \(columns)"
            )
            let kept = try replica.store.read { reader in
                var lines: [String] = []
                try KeptLines(reader, touched: TouchedObjects(limit: limit)).forEach { number, index, change in
                    lines.append("\(number) \(index) \(String(decoding: change.line, as: UTF8.self))")
                }
                return lines
            }
            return (deferred, kept)
        }
        let (few, all) = (try state(limit: limit), try state(limit: .max))
        #expect(all.deferred.contains { $0.last == "" } && !all.kept.isEmpty)
        #expect(few.deferred == all.deferred)
        #expect(few.kept == all.kept)
    }
}
