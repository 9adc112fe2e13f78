import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// History stays bounded and exact, however many sets of properties foreign writers use.
@Suite struct ShapeLimitTests {
    private static let names = (0..<14).map { "a\($0)" }
    private static let model =
        "version: \"1\"\nentities:\n  P: {attributes: {"
        + names.map { "\($0): Integer 64?" }.joined(separator: ", ") + "}}"

    private func shapes(_ replica: Replica) throws -> Int {
        Int(try PlainSQL(path: replica.path).value("SELECT count(*) FROM tributary_shape") ?? "") ?? -1
    }

    private static func chosen(_ bits: Int) -> [String] {
        names.indices.filter { bits & 1 << $0 != 0 }.map { names[$0] }
    }

    private static func writes(_ bits: Int) -> [PropertyWrite] {
        chosen(bits).map { PropertyWrite(name: $0, value: .integer(Int64(bits))) }
    }

    @Test func `past the limit a change is recorded property by property`() throws {
        let replica = try Replica(try Model(yaml: Self.model))
        try replica.apply(ForeignTransaction(1, 1, clock: 1, .insert("P", 1)))
        let all = Array(1..<1 << Self.names.count)
        let updates = all.map { Change(entity: "P", id: .sample(1), operation: .update(Self.writes($0))) }
        try replica.apply(ForeignTransaction(1, 2, clock: 2, updates))
        let bound = HistoryWriter.shapeLimit + 2 * Self.names.count + 2
        #expect(all.count > bound)
        #expect(try shapes(replica) <= bound)
        // The update and the insert use sets that came too late to have a shape of their own.
        let late = all[all.count - 2]
        let insert = Change(entity: "P", id: .sample(2), operation: .insert(Self.writes(late)))
        try replica.apply(ForeignTransaction(1, 3, clock: 3, updates[late - 1], insert))
        #expect(try shapes(replica) <= bound)
        let newest = try replica.store.read { try $0.history.newestTransaction() }
        let history = try replica.store.read { try $0.history.transactions(after: newest - 1, limit: 10) }
        let changes = try #require(history.first).changes
        for (number, kind) in [(1, HistoryTransaction.Kind.update), (2, HistoryTransaction.Kind.insert)] {
            let own = changes.filter { $0.id.uniqueID == .sample(number) }
            #expect(own.first?.kind == kind)
            #expect(Set(own.flatMap(\.properties)) == Set(Self.chosen(late)))
        }
        let union = try replica.store.read { try $0.history.changes(after: newest - 1, through: newest, limit: 100) }
        #expect(union.updated.map(\.uniqueID) == [.sample(1)] && union.inserted.map(\.uniqueID) == [.sample(2)])
    }

    @Test func `names that the model does not have are no part of history`() throws {
        let replica = try Replica(try Model(yaml: Self.model))
        let changes = (1...500).flatMap { number in
            let writes = ["a0", "unknown\(number)"].map { PropertyWrite(name: $0, value: .integer(1)) }
            return [
                Change(entity: "P", id: .sample(number), operation: .insert(writes)),
                Change(entity: "P", id: .sample(1), operation: .update([writes[1]])),
            ]
        }
        try replica.apply(ForeignTransaction(1, 1, clock: 1, changes))
        #expect(try shapes(replica) == 1)
        let history = try replica.store.read { try $0.history.transactions(after: 0, limit: 10) }
        #expect(history.flatMap(\.changes).allSatisfy { $0.properties == ["a0"] })
    }
}
