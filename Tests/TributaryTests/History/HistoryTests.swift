import Foundation
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// History: tokens, filters, tombstones, purging, consumers.
@Suite struct HistoryTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws {
        folder = try TemporaryFolder("history")
        container = try await PersistentContainer.open(folder, model: AccountModel.make())
    }

    private func save(
        _ owner: String,
        author: String = "a",
        in other: PersistentContainer? = nil
    ) async throws -> HistoryToken {
        let context = (other ?? container).newBackgroundContext(name: "c", author: author)
        return try await context.perform { context in
            try context.insert(entity: "Account").setValue(.string(owner), forKey: "owner")
            try context.save()
            return try #require(context.lastSaveToken)
        }
    }

    @Test func fetchIsExclusiveAndFiltered() async throws {
        let first = try await save("Ann")
        let second = try await save("Bob", author: "b")
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
        #expect(change.kind == .insert && change.updatedProperties == ["owner"])
    }

    @Test func deletionLeavesThePreservedValues() async throws {
        let first = try await save("Ann")
        try await container.execute(BatchDeleteRequest("Account"))
        let change = try #require(try container.fetchHistory(after: first).first?.changes.first)
        #expect(change.kind == .delete)
        #expect(change.tombstone == ["owner": .string("Ann")])
    }

    /// The values of a deleted object are preserved for as long as its history is.
    @Test func deletingHistoryForgetsThePreservedValues() async throws {
        let tombstones = { try PlainSQL(path: folder.path("store.sqlite")).rows("SELECT * FROM tributary_tombstone") }
        _ = try await save("Ann")
        try await container.execute(BatchDeleteRequest("Account"))
        _ = try await save("Bob")
        let deletion = try await container.execute(BatchDeleteRequest("Account")).token
        #expect(try tombstones().count == 2)
        try await container.deleteHistory(before: try #require(deletion))
        let kept = try tombstones()
        #expect(kept.count == 1 && kept[0].contains { $0?.contains("Bob") == true }, "\(kept)")
        let later = Date(timeIntervalSinceNow: 60)
        try await container.deleteHistory(before: later)
        #expect(try tombstones().isEmpty)
    }

    @Test func deletingKeepsTheTokensOwnTransactionAndExpiresEarlierTokens() async throws {
        let tokens = [try await save("1"), try await save("2"), try await save("3")]
        try await container.deleteHistory(before: tokens[2])
        #expect(try container.fetchHistory().map(\.token) == [tokens[2]])
        #expect(try container.fetchHistory(after: tokens[1]).count == 1)
        #expect(throws: HistoryError.expired(tokens[0], oldest: tokens[1])) {
            try container.fetchHistory(after: tokens[0])
        }
    }

    @Test func tokensAreCodableAndThoseOfDifferentStoresDoNotCompare() async throws {
        let (first, second) = (try await save("1"), try await save("2"))
        #expect(try first.isEarlier(than: second))
        #expect(try !second.isEarlier(than: first))
        let coded = try JSONDecoder().decode(HistoryToken.self, from: JSONEncoder().encode(first))
        #expect(coded == first)
        let other = try await PersistentContainer.open(folder, "other", model: AccountModel.make())
        let foreign = try other.currentHistoryToken()
        #expect(throws: HistoryError.self) { try first.isEarlier(than: foreign) }
        #expect(throws: HistoryError.self) { try container.fetchHistory(after: foreign) }
    }

    /// A boot takes the writer, and nothing of the history.
    @Test func tokensStayWhenTheStoreGoesOnAsAFreshWriter() async throws {
        var environment = StoreEnvironment.system
        environment.tokens = { _ in nil }
        var (tokens, writers): ([HistoryToken], Set<UniqueID>) = ([], [])
        for number in 1...2 {
            let container = try await PersistentContainer.open(
                folder,
                "booted",
                model: AccountModel.make(),
                environment: environment
            )
            tokens.append(try await save("\(number)", in: container))
            writers.insert(try container.store.read { try $0.writers.own().id })
            let found = try container.fetchHistory(after: number > 1 ? tokens[0] : nil).map(\.token)
            #expect(found == tokens.suffix(1))
            try await container.close()
        }
        #expect(writers.count == 2)
    }

    @Test func purgingWaitsForConsumersButNotForSilentOnes() async throws {
        let first = try await save("1")
        try await container.registerHistoryConsumer("index")
        let second = try await save("2")
        let third = try await save("3")
        try await container.deleteHistory(before: third)
        #expect(try container.fetchHistory(after: first).map(\.token) == [second, third])
        #expect(try container.historyToken(ofConsumer: "index") == first)
        let later = container.store.configuration.environment.wallTime().later(by: .seconds(60))
        try await container.store.writeAsync { try $0.purgeHistory(committedBefore: later.unixSeconds) }
        #expect(throws: HistoryError.expired(first, oldest: third)) { try container.fetchHistory(after: first) }
        try await container.setHistoryToken(third, ofConsumer: "index")
        #expect(try container.historyToken(ofConsumer: "index") == third)
        try await container.removeHistoryConsumer("index")
        #expect(throws: HistoryError.unknownConsumer("index")) { try container.historyToken(ofConsumer: "index") }
    }
}
