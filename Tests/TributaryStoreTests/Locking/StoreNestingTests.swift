import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Nested use of the write lock, and names that could collide.
struct StoreNestingTests {
    @Test func aWriteInsideAWriteIsRefusedAndLeavesTheOuterOneAlone() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try store.write { transaction in
            try StoreFixture.hire(in: transaction)
            #expect(throws: StoreError.self) { try store.write { try StoreFixture.hire(in: $0) } }
            #expect(throws: StoreError.self) { try store.pin() }
            try StoreFixture.hire(2, in: transaction)
        }
        let employee = try #require(store.model.entity(named: "Employee"))
        #expect(try store.read { try $0.count(FetchQuery(entity: employee)) } == 3)
        #expect(try store.read { try $0.history.newestTransaction() } == 2)
        #expect(try store.pin().number == 2)
        try fixture.hire()
        #expect(try store.read { try $0.history.newestTransaction() } == 3)
    }

    @Test func namesWithUnderscoresDoNotMeetInIndexes() throws {
        func entity(_ name: String, _ relationship: String) -> EntityDefinition {
            var result = EntityDefinition(name: name)
            var part = Relationship(name: relationship, destination: "Part")
            part.isOptional = true
            result.relationships = [part]
            return result
        }
        let model = try Model(
            version: "1",
            entities: [entity("Order", "item_part"), entity("Order_item", "part"), EntityDefinition(name: "Part")]
        )
        let fixture = try StoreFixture(model: model)
        let order = try #require(model.entity(named: "Order"))
        #expect(try fixture.store.read { try $0.count(FetchQuery(entity: order)) } == 0)
        withExtendedLifetime(fixture.folder) {}
    }

    @Test func historyBeforeTheFirstTransactionIsNothing() throws {
        let fixture = try StoreFixture()
        try fixture.hire()
        try fixture.store.write { try $0.deleteHistory(before: .min) }
        #expect(try fixture.store.read { try $0.history.oldestNumber() } == 0)
    }
}
