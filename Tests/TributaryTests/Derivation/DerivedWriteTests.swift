import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// A derived attribute is computed: no way of setting it is taken silently.
@MainActor
struct DerivedWriteTests {
    let container: PersistentContainer
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder("derivedwrites")
        container = try await DerivedModel.open(folder)
    }

    @Test func byName() throws {
        let team = try container.viewContext.insert(entity: "Team")
        #expect(throws: ContextError.self) { try team.setValue(.integer(7), forKey: "size") }
        // A snapshot has the derived values of its time, and leaves those of the object alone.
        try team.update(from: ObjectSnapshot(id: team.objectID, values: ["size": .integer(7)]))
        #expect(try team.value(forKey: "size") == .null)
    }

    @Test func byATypedKey() throws {
        let view = container.viewContext
        let team = try view.insert(entity: "Team")
        let size = Field<Int32?>("size")
        team[size] = nil
        try view.save()
        #expect(team[size] == 0)
        team[size] = 0
        #expect(!view.hasChanges)
        try view.save()
        team[size] = 7
        #expect(team[size] == 0 && !view.hasChanges)
        let error = #expect(throws: ValidationError.self) { try view.save() }
        #expect(error?.failures.map(\.property) == ["size"] && error?.failures.first?.rule == .derived)
        #expect(error?.description.contains("it is derived") == true)
        try view.save()
    }

    @Test func byAnUpsert() async throws {
        let container = try await PersistentContainer(
            name: "upsert",
            model: try DerivedModel.model(),
            classes: [DerivedTeam.self],
            store: .memory
        )
        let view = container.viewContext
        let error = #expect(throws: ContextError.self) { try view.upsert(DerivedTeam.self, by: ["size": .integer(7)]) }
        #expect(error?.description.contains("Team.size") == true && error?.description.contains("derived") == true)
        view.processPendingChanges()
        #expect(!view.hasChanges)
        try await container.close()
    }

    @Test func byABatch() async throws {
        _ = try await container.execute(BatchInsertRequest("Team", rows: [["name": .string("A")]]))
        await #expect(throws: BatchError.self) {
            try await container.execute(BatchInsertRequest("Team", rows: [["size": .integer(7)]]))
        }
        await #expect(throws: BatchError.self) {
            try await container.execute(BatchUpdateRequest("Team", setting: ["size": .value(.integer(7))]))
        }
    }

    @Test func byAChangeInTheTermsOfTheLog() throws {
        let view = container.viewContext
        let team = try view.insert(entity: "Team")
        try view.save()
        func update(_ value: JSONValue) throws {
            let change = Change(
                entity: "Team",
                id: team.uniqueID,
                operation: .update([PropertyWrite(name: "size", value: value)])
            )
            _ = try view.apply([ConditionalChange(change)])
        }
        #expect(throws: Never.self, "who sends back what was read") { try update(.integer(0)) }
        let error = #expect(throws: ChangeError.self) { try update(.integer(7)) }
        #expect(error?.description.contains("derived") == true)
    }
}

private final class DerivedTeam: ManagedObject {
    override class var entityName: String { "Team" }
}
