import Foundation
import Testing
import Tributary

/// A history consumer that survives an expired token.
@Suite struct HistoryExampleTests {
    private func rename(_ id: ManagedObjectID, to name: String, in container: PersistentContainer) async throws {
        try await container.performBackgroundTask { context in
            context.object(with: id, as: Employee.self)?.name = name
            try context.save()
        }
    }

    private func hire(_ name: String, in container: PersistentContainer) async throws -> ManagedObjectID {
        try await container.performBackgroundTask { context in
            let employee = try context.insert(Employee.self)
            employee.name = name
            try context.save()
            return employee.objectID
        }
    }

    @Test func followsHistoryAndSurvivesAnExpiredToken() async throws {
        let store = try await ExampleStore()
        let container = store.container
        let ann = try await hire("Ann", in: container)
        var index = NameIndex()
        try await index.catchUp(with: container)
        #expect(index.names == [ann: "Ann"])
        #expect(index.timesBuilt == 1, "it was not there before")

        let bob = try await hire("Bob", in: container)
        try await rename(ann, to: "Anna", in: container)
        try await index.catchUp(with: container)
        #expect(index.names == [ann: "Anna", bob: "Bob"])
        #expect(index.timesBuilt == 1, "history was enough")

        // The consumer stays away for longer than history is kept.
        let place = try container.historyToken(ofConsumer: NameIndex.consumer)
        let cleo = try await hire("Cleo", in: container)
        try await container.execute(
            BatchDeleteRequest("Employee", predicate: ObjectPredicate(parsing: "name == 'Bob'"))
        )
        try await container.deleteHistory(before: Date.now.addingTimeInterval(60))
        #expect { try container.fetchHistory(after: place) } throws: { error in
            if case HistoryError.expired(place, _) = error { true } else { false }
        }
        try await index.catchUp(with: container)
        #expect(index.names == [ann: "Anna", cleo: "Cleo"])
        #expect(index.timesBuilt == 2)

        try await container.execute(BatchDeleteRequest("Employee"))
        try await index.catchUp(with: container)
        #expect(index.names.isEmpty)
        #expect(index.timesBuilt == 2, "it goes on from history again")
        try await container.close()
    }

    @Test func keepsWhatARegisteredConsumerHasToRead() async throws {
        let store = try await ExampleStore()
        let container = store.container
        var index = NameIndex()
        try await index.catchUp(with: container)
        for number in 1...250 { _ = try await hire("\(number)", in: container) }
        try await container.deleteHistory(before: container.currentHistoryToken())
        try await index.catchUp(with: container)
        #expect(index.names.count == 250, "in three pages")
        #expect(index.timesBuilt == 1)
        try await container.close()
    }
}
