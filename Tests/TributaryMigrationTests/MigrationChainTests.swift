import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// A store with any version of a chain opens with the newest version.
@Suite struct MigrationChainTests {
    static let texts = [
        "  A: {attributes: {a: Integer 16?, x: String?}}",
        "  B: {renamed_from: A, attributes: {b: {type: Integer 16, optional: true, renamed_from: a}, x: String?}}",
        "  B: {attributes: {b: Integer 32?, x: {type: String, default: none}}}\n  T: {attributes: {t: String?}}",
        "  C: {renamed_from: B, attributes: {c: {type: Integer 32, optional: true, renamed_from: b}, x: {type: String, default: none}}, relationships: {t: {to: T?}}}\n  T: {attributes: {t: String?}}",
        "  C: {attributes: {c: Decimal?, x: {type: String, default: none}}, relationships: {ts: {to: T, many: true, renamed_from: t}}}\n  T: {attributes: {t: String?}}",
        "  D: {renamed_from: C, attributes: {d: {type: Decimal, optional: true, renamed_from: c}, x: {type: String, default: some}}, relationships: {ts: {to: T, many: true}}}\n  T: {attributes: {t: String?}}",
    ]

    static func versions() throws -> [Model] {
        var models: [Model] = []
        for (index, text) in texts.enumerated() {
            models.append(try Model(yaml: "version: \"\(index + 1)\"\nentities:\n\(text)").succeeding(models))
        }
        return models
    }

    /// The names of the entity and of the number in each version.
    private static let names = [("A", "a"), ("B", "b"), ("B", "b"), ("C", "c"), ("C", "c"), ("D", "d")]

    static func fill(_ replica: Replica, version: Int) throws {
        let (entity, number) = names[version]
        let value: JSONValue = version > 3 ? "7" : 7
        try replica.commit(
            Change(
                entity: entity,
                id: .sample(1),
                operation: .insert([PropertyWrite(name: number, value: value), PropertyWrite(name: "x", value: "one")])
            ),
            Change(entity: entity, id: .sample(2), operation: .insert([PropertyWrite(name: "x", value: nil)]))
        )
        guard version > 1 else { return }
        try replica.commit(.insert("T", 3, ["t": "tag"]))
        if version == 3 { try replica.commit(.update("C", 1, ["t": .to(3)])) }
        if version > 3 { try replica.commit(.link(entity, 1, "ts", [3])) }
    }

    @Test(arguments: 0..<6)
    func `a store of any version opens with the newest, in one step`(version: Int) throws {
        let models = try Self.versions()
        let replica = try Replica(models[version])
        try Self.fill(replica, version: version)
        try replica.reopen(models[5])
        let sql = PlainSQL(path: replica.path)
        let missing = version < 2 ? "some" : version == 5 ? nil : nil
        let rows = try sql.rows("SELECT d, x FROM D ORDER BY d IS NULL")
        #expect(rows.map { $0[0] } == ["7", nil])
        #expect(rows[0][1] == "one")
        if let missing { #expect(rows[1][1] == missing) }
        #expect(try sql.value("SELECT count(*) FROM D_ts") == (version > 2 ? "1" : "0"))
        let recorded = try sql.rows("SELECT version FROM tributary_model ORDER BY number").compactMap { $0[0] }
        #expect(recorded.last == "6" && Set(recorded).count == 6)
    }

    @Test func `step by step a store comes to the same as in one`() throws {
        let models = try Self.versions()
        let (slow, fast) = (try Replica(models[0]), try Replica(models[0]))
        for replica in [slow, fast] {
            try replica.apply(
                ForeignTransaction(1, 1, clock: 1, .insert("A", 1, ["a": 7, "x": "one"]), .insert("A", 2))
            )
        }
        for model in models.dropFirst() { try slow.reopen(model) }
        try fast.reopen(models[5])
        #expect(try slow.dump() == fast.dump())
        #expect(try slow.values("D", .sample(1)) == fast.values("D", .sample(1)))
    }

    @Test func `writers of every version are understood by a store of the newest`() throws {
        let models = try Self.versions()
        let replica = try Replica(models[5])
        for (index, (entity, number)) in Self.names.enumerated() {
            let value: JSONValue = index > 3 ? .string("\(index)") : .integer(Int64(index))
            let change = Change(
                entity: entity,
                id: .sample(100 + index),
                operation: .insert([PropertyWrite(name: number, value: value)])
            )
            try replica.apply(ForeignTransaction(1, UInt64(index + 1), clock: UInt64(index + 1), change))
        }
        #expect(
            try PlainSQL(path: replica.path).rows("SELECT d FROM D ORDER BY d").map { $0[0] }
                == ["0", "1", "2", "3", "4", "5"]
        )
        #expect(try PlainSQL(path: replica.path).value("SELECT count(*) FROM tributary_parked") == "0")
    }

    @Test func `without the versions in between a rename in steps is another thing`() throws {
        let models = try Self.versions()
        let replica = try Replica(models[0])
        try Self.fill(replica, version: 0)
        try replica.reopen(models[3].succeeding([]))
        #expect(try PlainSQL(path: replica.path).value("SELECT count(*) FROM C") == "0")
    }

    @Test func `older versions are refused, also those that the store was never at`() throws {
        let models = try Self.versions()
        let replica = try Replica(models[0])
        try replica.reopen(models[4])
        for version in 0..<4 {
            let reason = try #require(throws: MigrationError.self) { try replica.reopen(models[version]) }
            guard case .olderModel("5", "\(version + 1)", _) = reason else { throw reason }
        }
        try replica.reopen(models[5])
    }

    @Test func `a forbidden migration names what it would do, and does nothing`() throws {
        let models = try Self.versions()
        let replica = try Replica(models[0])
        try Self.fill(replica, version: 0)
        let before = try replica.dump()
        var settings = MigrationSettings()
        settings.migrates = false
        let error = try #require(throws: MigrationError.self) { try replica.reopen(models[1], migration: settings) }
        guard case .notAllowed(let plan) = error else { throw error }
        #expect(plan.from == "1" && plan.to == "2" && plan.changes.map(\.kind) == [.renameEntity, .renameProperty])
        try replica.reopen(models[0], migration: settings)
        #expect(try replica.dump() == before)
    }
}
