import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Members of composites that are not plain values: SQL and memory agree on their presence.
struct CompositeMemberTests {
    private let fixture: StoreFixture
    private var store: Store { fixture.store }
    private let part: Entity

    init() throws {
        let model = try Model(
            yaml: """
                entities:
                  Part: {attributes: {name: String, box: {composite: Box, optional: true}}}
                composites:
                  Box: {inner: {composite: Inner, optional: true}, data: Binary?, words: Transformable?}
                  Inner: {number: Integer 64?}
                """
        )
        fixture = try StoreFixture(model: model)
        part = try #require(model.entity(named: "Part"))
        let boxes = [
            "null", "{}", "{\"inner\":{}}", "{\"inner\":{\"number\":3},\"data\":\"AAEC\"}",
            "{\"data\":\"\",\"inner\":null}",
            "{\"words\":\"AA==\"}",
        ]
        let changes = try boxes.enumerated().map { place, box in
            Change(
                entity: "Part",
                id: UniqueID(high: 0, low: UInt64(place)),
                operation: .insert([
                    PropertyWrite(name: "name", value: .string("p\(place)")),
                    PropertyWrite(name: "box", value: try #require(JSONValue(text: box))),
                ])
            )
        }
        try store.write { _ = try $0.commit(LocalTransaction(changes: changes)) }
    }

    @Test(arguments: [
        "box == NULL", "box.inner == NULL", "box.inner != NULL", "box.data == NULL", "box.data != NULL",
        "box.words != NULL", "box.inner.number == NULL", "box.inner.number == 3", "NOT (box.inner != NULL)",
    ])
    func memoryAndSQLAgree(text: String) throws {
        let predicate = try ObjectPredicate(parsing: text)
        let bound = try predicate.bind(to: part, in: store.model)
        try store.read { reader in
            let cache = ReadingCache()
            let all = try reader.rows(FetchQuery(entity: part))
            let expected = all.filter { bound.evaluate(on: ReadingSubject(row: $0, reader: reader, cache: cache)) }
            let found = try reader.rows(FetchQuery(entity: part, predicate: predicate))
            #expect(all.count == 6 && !found.isEmpty)
            #expect(found.map(\.id) == expected.map(\.id), "\(text)")
        }
    }
}
