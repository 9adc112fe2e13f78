import TestSupport
import Testing

@testable import Tributary

/// Fetches of the container after a save that the main context has not merged.
struct FetchedStateTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open(.memory) }

    @Test func aFetchWithTheTokenOfOnesOwnSaveSeesIt() async throws {
        let request = FetchRequest("Employee")
        let (id, saved) = try await container.performBackgroundTask { context in
            let employee = try context.hireAndSave("Ann")
            return (employee.objectID, context.lastSaveToken)
        }
        let token = try #require(saved)
        // The main context does not show it yet.
        #expect(try await container.fetch(request).isEmpty)
        for state in [FetchedState.including(token), .newest] {
            #expect(try await container.fetch(request, at: state).map { $0["name"] } == [.string("Ann")])
            #expect(try await container.fetchIDs(request, at: state) == [id])
            #expect(try await container.fetchIDs(request, fillingRowCache: true, at: state) == [id])
            #expect(try await container.count(for: request, at: state) == 1)
            #expect(try await container.fetchDictionaries(request, at: state).count == 1)
        }
        // A context that shows an older generation does not show rows that were read ahead at a newer one.
        await MainActor.run {
            _ = #expect(throws: ContextError.self) { try container.viewContext.existingObject(with: id) }
        }
        await container.mergePendingChanges()
        #expect(try await container.fetch(request).count == 1)
        #expect(try await container.fetch(request, at: .including(token)).count == 1)
    }

    @Test func aStateThatIsNewEnoughIsTheMainContexts() async throws {
        let request = FetchRequest("Employee")
        let early = try await container.performBackgroundTask { context in
            try context.hireAndSave("Ann")
            return context.lastSaveToken
        }
        await container.mergePendingChanges()
        _ = try await container.hire("Bob")
        let token = try #require(early)
        #expect(try await container.count(for: request, at: .including(token)) == 1)
        #expect(try await container.count(for: request, at: .newest) == 2)
    }

    @Test func tokensThatTheStoreDoesNotHaveAreErrors() async throws {
        _ = try await container.hire("Ann")
        let token = try container.currentHistoryToken()
        let request = FetchRequest("Employee")
        for number in [0, token.number, .max] {
            await #expect(throws: HistoryError.self) {
                try await container.fetch(request, at: .including(HistoryToken(store: "other", number: number)))
            }
        }
        await #expect(throws: ContextError.self) {
            try await container.fetch(request, at: .including(HistoryToken(store: token.store, number: .max)))
        }
        await #expect(throws: ObjectPredicateError.self) {
            try await container.fetch(try FetchRequest("Employee", where: "nothing == 1"), at: .newest)
        }
    }
}
