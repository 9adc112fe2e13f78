import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// Two containers on one store behave as two processes.
@Suite struct RemoteChangeTests {
    private func open(_ folder: TemporaryFolder, limit: Int = 10_000) async throws -> PersistentContainer {
        var options = MergeOptions()
        options.debounce = .milliseconds(20)
        options.pendingLimit = limit
        return try await Company.open(at: folder.path, merging: options)
    }

    private func hire(_ name: String, on container: PersistentContainer) async throws -> HistoryToken? {
        try await container.performBackgroundTask { context in
            try context.hireAndSave(name)
            return context.lastSaveToken
        }
    }

    @MainActor private func names(_ container: PersistentContainer) throws -> [String] {
        try container.viewContext.names()
    }

    @Test(.timeLimit(.minutes(30)), arguments: [1, 10_000])
    func saveElsewhereIsMergedByItself(limit: Int) async throws {
        let folder = try TemporaryFolder("remote")
        let here = try await open(folder, limit: limit)
        let there = try await open(folder, limit: limit)
        let updates = here.storeUpdates()
        for round in 1...3 {
            let token = try #require(try await hire("n\(round)", on: there))
            for await update in updates where update.token.number >= token.number { break }
            #expect(try await names(here).count == round)
        }
        try await here.close()
        try await there.close()
    }

    @Test(.timeLimit(.minutes(30))) func savesOnBothSidesNumberOnAndNothingIsMissed() async throws {
        let folder = try TemporaryFolder("remote")
        let here = try await open(folder)
        let there = try await open(folder)
        async let first: Void = { for index in 0..<30 { _ = try await hire("a\(index)", on: here) } }()
        async let second: Void = { for index in 0..<30 { _ = try await hire("b\(index)", on: there) } }()
        _ = try await (first, second)
        await here.mergePendingChanges()
        await there.mergePendingChanges()
        #expect(try await names(here).count == 60)
        #expect(try await names(here) == names(there))
        let history = try here.store.read { try $0.history.transactions(after: 0, limit: 100) }
        #expect(history.map(\.number) == Array(1...60))
        #expect(history.map(\.sequence) == Array(1...60))
        #expect(zip(history, history.dropFirst()).allSatisfy { $0.clock < $1.clock })
        try await here.close()
        try await there.close()
    }

    @Test func flushShowsWhatAnotherHasSaved() async throws {
        let folder = try TemporaryFolder("remote")
        let here = try await open(folder)
        let there = try await open(folder)
        let token = try #require(try await hire("Ann", on: there))
        await here.mergePendingChanges(through: token)
        #expect(try await names(here) == ["Ann"])
        try await here.close()
        try await there.close()
    }
}
