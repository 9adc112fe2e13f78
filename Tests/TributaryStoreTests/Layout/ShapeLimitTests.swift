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
        let limit = HistoryWriter.shapeLimit
        #expect(all.count > limit)
        #expect(try replica.count("tributary_shape") == limit)
        // The update and the insert use sets that came too late to have a shape of their own.
        let late = all[all.count - 2]
        let insert = Change(entity: "P", id: .sample(2), operation: .insert(Self.writes(late)))
        try replica.apply(ForeignTransaction(1, 3, clock: 3, updates[late - 1], insert))
        #expect(try replica.count("tributary_shape") == limit)
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

    /// A row of history has what its changes have in common once.
    @Test func `history is what was changed, however rows of history share shapes and beginnings of UUIDs`() throws {
        var generator = SeededGenerator.printingSeed()
        let replica = try Replica(try Model(yaml: Self.model))
        for sequence in 1...20 as ClosedRange<UInt64> {
            let count = [1, 2, 100, 900].randomElement(using: &generator) ?? 1
            let (high, low) = (generator.next(), generator.next())
            let bits = UInt64.random(in: 8...64, using: &generator)
            let shapes = [1, 3].randomElement(using: &generator) ?? 1
            let changes = (0..<count).map { _ in
                let end = generator.next() & (bits == 64 ? .max : 1 << bits - 1)
                let id =
                    bits.isMultiple(of: 2) ? UniqueID(high: high, low: low ^ end) : UniqueID(high: high ^ end, low: low)
                return Change(
                    entity: "P",
                    id: id,
                    operation: .update(Self.writes(Int.random(in: 1...shapes, using: &generator)))
                )
            }
            var known: Set<UniqueID> = []
            let inserts = changes.filter { known.insert($0.id).inserted }
                .map { Change(entity: "P", id: $0.id, operation: .insert([])) }
            try replica.apply(ForeignTransaction(1, 2 * sequence - 1, clock: 2 * sequence - 1, inserts))
            try replica.apply(ForeignTransaction(1, 2 * sequence, clock: 2 * sequence, changes))
            let newest = try replica.store.read { try $0.history.newestTransaction() }
            let history = try replica.store.read { try $0.history.transactions(after: newest - 2, limit: 10) }
            #expect(Set(history.first?.changes.map(\.id.uniqueID) ?? []) == known)
            func text(_ id: UniqueID, _ properties: [String]) -> String { "\(id) \(properties)" }
            let told = (history.last?.changes ?? []).map { text($0.id.uniqueID, $0.properties) }
            #expect(told.sorted() == changes.map { text($0.id, Self.names(of: $0)) }.sorted(), "\(generator.seed)")
            let rows = try PlainSQL(path: replica.path).rows(
                "SELECT lower(hex(object)), properties FROM tributary_change WHERE transaction_number = \(newest) ORDER BY 1, 2"
            )
            let plain = (history.last?.changes ?? []).map { change in
                let id = change.id.uniqueID.description.replacing("-", with: "")
                return [id, "[" + change.properties.map { "\"\($0)\"" }.joined(separator: ",") + "]"]
            }
            #expect(rows == plain.sorted { ($0[0], $0[1]) < ($1[0], $1[1]) }, "\(generator.seed)")
        }
    }

    private static func names(of change: Change) -> [String] {
        guard case .update(let writes) = change.operation else { return [] }
        return writes.map(\.name).sorted()
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
        #expect(try replica.count("tributary_shape") == 1)
        let history = try replica.store.read { try $0.history.transactions(after: 0, limit: 10) }
        #expect(history.flatMap(\.changes).allSatisfy { $0.properties == ["a0"] })
    }
}
