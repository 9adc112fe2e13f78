import Foundation
import TestSupport
import Testing
import TributaryChanges
import TributaryModel
import TributaryStore

@testable import Tributary

/// History: tokens, filters, tombstones, purging, consumers.
@Suite struct HistoryTests {
    private func open(_ folder: TemporaryFolder, _ name: String = "store.sqlite") async throws -> PersistentContainer {
        let model = try AccountModel.make()
        let store = try Store.open(StoreConfiguration(path: folder.path(name), name: "test", model: model))
        return try await PersistentContainer(store: store, clock: ManualClock())
    }

    private func save(_ container: PersistentContainer, author: String, _ owner: String) async throws -> HistoryToken {
        let context = container.newBackgroundContext(name: "c", author: author)
        let token = try await context.perform { context in
            try context.insert(entity: "Account").setValue(.string(owner), forKey: "owner")
            try context.save()
            return context.lastSaveToken
        }
        return try #require(token)
    }

    @Test func fetchIsExclusiveAndFiltered() async throws {
        let folder = try TemporaryFolder("history")
        let container = try await open(folder)
        let first = try await save(container, author: "a", "Ann")
        let second = try await save(container, author: "b", "Bob")
        #expect(try container.fetchHistory(after: first).map(\.token) == [second])
        #expect(try container.fetchHistory(after: second).isEmpty)
        var filter = HistoryFilter()
        filter.author = "a"
        #expect(try container.fetchHistory(filter: filter, limit: 1).map(\.token) == [first])
        filter = HistoryFilter()
        filter.excludedAuthor = "a"
        #expect(try container.fetchHistory(filter: filter, limit: 1).map(\.token) == [second])
        filter = HistoryFilter()
        filter.entityNames = ["Other"]
        #expect(try container.fetchHistory(filter: filter).isEmpty)
        filter = HistoryFilter()
        filter.contextName = "c"
        #expect(try container.fetchHistory(filter: filter).count == 2)
        let change = try #require(try container.fetchHistory().first?.changes.first)
        #expect(change.kind == .insert && change.updatedProperties == ["owner", "balance"])
        try await container.close()
    }

    @Test func deletionLeavesThePreservedValues() async throws {
        let folder = try TemporaryFolder("history")
        let container = try await open(folder)
        let first = try await save(container, author: "a", "Ann")
        try await container.execute(BatchDeleteRequest("Account"))
        let change = try #require(try container.fetchHistory(after: first).first?.changes.first)
        #expect(change.kind == .delete)
        #expect(change.tombstone == ["owner": .string("Ann")])
        try await container.close()
    }

    @Test func deletingKeepsTheTokensOwnTransactionAndExpiresEarlierTokens() async throws {
        let folder = try TemporaryFolder("history")
        let container = try await open(folder)
        let tokens = [
            try await save(container, author: "a", "1"), try await save(container, author: "a", "2"),
            try await save(container, author: "a", "3"),
        ]
        try await container.deleteHistory(before: tokens[2])
        #expect(try container.fetchHistory().map(\.token) == [tokens[2]])
        #expect(try container.fetchHistory(after: tokens[1]).count == 1)
        #expect(throws: HistoryError.expired(tokens[0], oldest: tokens[1])) {
            try container.fetchHistory(after: tokens[0])
        }
        try await container.close()
    }

    @Test func tokensAreCodableAndThoseOfDifferentStoresDoNotCompare() async throws {
        let folder = try TemporaryFolder("history")
        let (one, two) = (try await open(folder, "1.sqlite"), try await open(folder, "2.sqlite"))
        let first = try await save(one, author: "a", "1")
        let second = try await save(one, author: "a", "2")
        #expect(try first.isEarlier(than: second))
        #expect(try !second.isEarlier(than: first))
        let coded = try JSONDecoder().decode(HistoryToken.self, from: JSONEncoder().encode(first))
        #expect(coded == first)
        let foreign = try two.currentHistoryToken()
        #expect(throws: HistoryError.self) { try first.isEarlier(than: foreign) }
        #expect(throws: HistoryError.self) { try one.fetchHistory(after: foreign) }
        try await one.close()
        try await two.close()
    }

    /// A boot takes the writer, and nothing of the history.
    @Test func tokensStayWhenTheStoreGoesOnAsAFreshWriter() async throws {
        let folder = try TemporaryFolder("history")
        var environment = StoreEnvironment.system
        environment.tokens = { _ in nil }
        var (tokens, writers): ([HistoryToken], Set<UniqueID>) = ([], [])
        for number in 1...2 {
            let store = try Store.open(
                StoreConfiguration(
                    path: folder.path("store.sqlite"),
                    name: "test",
                    model: try AccountModel.make(),
                    environment: environment
                )
            )
            let container = try await PersistentContainer(store: store, clock: ManualClock())
            tokens.append(try await save(container, author: "a", "\(number)"))
            writers.insert(try store.read { try $0.writers.own().id })
            let found = try container.fetchHistory(after: number > 1 ? tokens[0] : nil).map(\.token)
            #expect(found == tokens.suffix(1))
            try await container.close()
        }
        #expect(writers.count == 2)
    }

    @Test func purgingWaitsForConsumersButNotForSilentOnes() async throws {
        let folder = try TemporaryFolder("history")
        let container = try await open(folder)
        let first = try await save(container, author: "a", "1")
        try await container.registerHistoryConsumer("index")
        let second = try await save(container, author: "a", "2")
        let third = try await save(container, author: "a", "3")
        try await container.deleteHistory(before: third)
        #expect(try container.fetchHistory(after: first).map(\.token) == [second, third])
        #expect(try container.historyToken(ofConsumer: "index") == first)
        let later = container.store.configuration.environment.wallTime().later(by: .seconds(60))
        try await container.store.writeInTurn { try $0.purgeHistory(committedBefore: later.unixSeconds) }
        #expect(throws: HistoryError.expired(first, oldest: third)) { try container.fetchHistory(after: first) }
        try await container.setHistoryToken(third, ofConsumer: "index")
        #expect(try container.historyToken(ofConsumer: "index") == third)
        try await container.removeHistoryConsumer("index")
        #expect(throws: HistoryError.unknownConsumer("index")) { try container.historyToken(ofConsumer: "index") }
        try await container.close()
    }
}
