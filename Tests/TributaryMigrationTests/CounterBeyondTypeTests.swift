import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

/// Sums of counters that their types cannot hold.
@Suite struct CounterBeyondTypeTests {
    private static func model(_ type: String, rule: String = "counter") throws -> Model {
        try Model(
            yaml: """
                version: "\(type) \(rule)"
                entities:
                  A:
                    attributes:
                      c: {type: \(type), optional: true, merge: \(rule)}
                      d: {type: Integer 64, default: 0, merge: counter}
                  B:
                    parent: A
                    attributes: {b: {type: Integer 32, default: 5, merge: counter}}

                """
        )
    }

    private func found(_ replica: Replica, limit: Int = 100) throws -> [CounterBeyondType] {
        try replica.store.read { try $0.countersBeyondTypes(limit: limit) }
    }

    @Test func `the first value beyond a type is found, and none that the type holds`() throws {
        let replica = try Replica(try Self.model("Integer 16"))
        let ends: [Int64] = [-32_769, -32_768, 32_767, 32_768]
        for (index, end) in ends.enumerated() {
            try replica.commit(.insert("A", 1 + index, ["c": .increment(end), "d": .increment(.max)]))
        }
        try replica.commit(
            .insert("B", 5, ["b": .increment(Int64(Int32.max) - 5)]),
            .insert("B", 6, ["b": .increment(Int64(Int32.max) - 4)])
        )
        let all = try found(replica)
        #expect(
            Set(all.map { "\($0.entity).\($0.property) \($0.id == .sample(6)) \($0.value) \($0.type.rawValue)" }) == [
                "A.c false -32769 Integer 16", "A.c false 32768 Integer 16", "B.b true 2147483648 Integer 32",
            ]
        )
        #expect(try found(replica, limit: 2).count == 2 && found(replica, limit: 0).isEmpty)
        let plans = try PlainSQL(path: replica.path).rows(
            "EXPLAIN QUERY PLAN SELECT _id, \"c\", _entity FROM A WHERE \"c\" NOT BETWEEN -32768 AND 32767 LIMIT 100"
        )
        #expect("\(plans)".contains("USING INDEX tributary_beyond_Integer 16_A.c"), "\(plans)")
        try replica.commit(.update("A", 4, ["c": .increment(-1)]), .delete("A", 1), .delete("B", 6))
        #expect(try found(replica).isEmpty)
    }

    @Test(arguments: [("Integer 32", "counter"), ("Integer 16", "latest"), ("Integer 64", "counter")])
    func `another model has the indexes of its own counters alone`(type: String, rule: String) throws {
        let former = try Self.model("Integer 16")
        let replica = try Replica(former)
        try replica.commit(.insert("A", 1, ["c": .increment(40_000)]))
        #expect(try found(replica).map(\.value) == [40_000])
        let changed = try Self.model(type, rule: rule)
        guard (try? replica.reopen(changed.succeeding([former]))) != nil else {
            // A counter of another rule is refused, and the store goes on with its model.
            #expect(rule != "counter")
            return try replica.reopen(former)
        }
        #expect(try found(replica).isEmpty)
        let indexes = try PlainSQL(path: replica.path).rows(
            "SELECT name FROM sqlite_schema WHERE name LIKE 'tributary_beyond%'"
        )
        #expect(
            Set(indexes.compactMap { $0[0] })
                == Set(
                    ["tributary_beyond_Integer 32_A.b"]
                        + (type == "Integer 32" && rule == "counter" ? ["tributary_beyond_Integer 32_A.c"] : [])
                )
        )
    }

    @Test func `a store of a program without these indexes gets them when it is opened`() throws {
        let model = try Self.model("Integer 16")
        let replica = try Replica(model)
        try replica.commit(.insert("A", 1, ["c": .increment(40_000)]))
        try PlainSQL(path: replica.path).execute("DROP INDEX \"tributary_beyond_Integer 16_A.c\"")
        try replica.reopen(model)
        #expect(try found(replica).map(\.value) == [40_000])
        let sql = PlainSQL(path: replica.path)
        #expect(try sql.value("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'tributary_beyond%'") == "2")
    }
}
