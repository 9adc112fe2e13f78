import GRDB
import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

@Suite struct LocalCommitTests {
    @Test func `committed changes can be read, as objects and as history`() throws {
        let replica = try Replica()
        let committed = try replica.commit(
            .insert("Department", 1, ["title": "R&D", "budget": "12.50"]),
            .insert("Employee", 2, ["name": "Ann", "salary": 10.5, "department": .to(1), "visits": 2])
        )
        #expect(committed.number == 1)
        #expect(committed.sequence == 1)
        let clock = try replica.store.read { try $0.writers.own().clock }
        #expect(clock == HybridClock(Replica.now))
        #expect(committed.changes.inserted.map(\.uniqueID).sorted() == [.sample(1), .sample(2)])
        let ann = try #require(try replica.values("Employee", .sample(2)))
        #expect(ann["name"] == .string("Ann"))
        #expect(ann["nick"] == .string("none"))
        #expect(ann["department"] == .reference(.sample(1)))
        #expect(ann["visits"] == .integer(2))
        try replica.commit(.update("Employee", 2, ["name": "Anna"]), .delete("Department", 1))
        let later = try #require(try replica.values("Employee", .sample(2)))
        #expect(later["name"] == .string("Anna"))
        #expect(later["salary"] == .double(10.5))
        #expect(later["department"] == .null)
        let history = try replica.store.read { try $0.history.transactions(after: 0, limit: 10) }
        #expect(history.map(\.changes.count) == [2, 3])
        #expect(history[0].changes.allSatisfy { $0.kind == .insert })
        #expect(history[1].changes.contains { $0.kind == .delete && $0.id.uniqueID == .sample(1) })
        #expect(history[1].changes.contains { $0.kind == .update && $0.properties == ["name"] })
        #expect(history[1].changes.contains { $0.kind == .update && $0.properties == ["department"] })
    }

    @Test func `plain SQL reads the history`() throws {
        let replica = try Replica()
        for number in 0..<3 {
            try replica.store.write { write in
                let changes = (0..<250).map { index in
                    Change.insert("Tag", number * 1000 + index, ["isOn": .boolean(true)])
                }
                _ = try write.commit(LocalTransaction(author: "app", changes: changes))
            }
        }
        let queue = try DatabaseQueue(path: replica.path)
        let rows = try queue.read { db in
            try GRDB.Row.fetchAll(
                db,
                sql: """
                    SELECT entity, hex(object) AS object, kind, properties FROM tributary_change
                    WHERE transaction_number = 2 ORDER BY object
                    """
            )
        }
        #expect(rows.count == 250)
        #expect(rows[3]["entity"] == "Tag")
        #expect(rows[3]["kind"] == "insert")
        #expect(rows[3]["properties"] == "[\"isOn\"]")
        let expected = UniqueID.sample(1003).description.replacing("-", with: "").uppercased()
        #expect(rows[3]["object"] == expected)
    }

    /// JSON takes six bytes for a control character.
    @Test func `a change that does not fit into a line of the log is an error`() throws {
        let replica = try Replica()
        let most = 16 << 20 / 6
        func commit(_ character: Character) throws {
            let name = JSONValue.string(String(repeating: character, count: most))
            try replica.commit(.insert("Tag", 1), .insert("Person", 2, ["name": name]))
        }
        let error = #expect(throws: StoreError.self) { try commit("\u{1}") }
        guard case .invalidChange(index: 1, _)? = error else { throw error ?? .closed }
        #expect(try replica.values("Tag", .sample(1)) == nil)
        try commit("a")
    }

    @Test func `an unknown name or value and a visible ID are errors, and nothing is written`() throws {
        let replica = try Replica()
        try replica.commit(.insert("Tag", 1))
        let before = try replica.store.read { try $0.history.newestTransaction() }
        #expect(throws: StoreError.self) { try replica.commit(.insert("Tag", 2), .insert("Nothing", 3)) }
        #expect(throws: StoreError.self) { try replica.commit(.insert("Tag", 2, ["what": 1])) }
        #expect(throws: StoreError.self) { try replica.commit(.insert("Tag", 2, ["isOn": 1])) }
        let error = #expect(throws: StoreError.self) { try replica.commit(.insert("Tag", 2), .insert("Tag", 1)) }
        guard case .duplicateID(let id)? = error else { throw error ?? .closed }
        #expect(id.uniqueID == .sample(1))
        #expect(try replica.values("Tag", .sample(2)) == nil)
        #expect(try replica.store.read { try $0.history.newestTransaction() } == before)
    }
}
