import Foundation
import TestSupport
import Testing
import Tributary

/// The history has one transaction for each save and batch, and is purged by date.
struct HistoryRecordTests {
    let folder: TemporaryFolder
    let container: PersistentContainer

    init() async throws { (folder, container) = try await Company.open() }

    @discardableResult
    private func add(_ name: String, author: String = "a") async throws -> (id: ManagedObjectID, token: HistoryToken) {
        let context = container.newBackgroundContext(name: "adding", author: author)
        return try await context.perform { context in
            let employee = try context.hireAndSave(name)
            return (employee.objectID, try #require(context.lastSaveToken))
        }
    }

    @Test func eachSaveAndEachBatchIsOneTransaction() async throws {
        let (id, first) = try await add("Ann")
        try await container.performBackgroundTask { context in
            context.object(with: id, as: Employee.self)?.salary = 10
            try context.hireAndSave("Bob")
            try context.save()  // nothing to save is no transaction
        }
        try await container.execute(
            BatchInsertRequest("Employee", rows: [["name": .string("Cid")], ["name": .string("Dan")]])
        )
        try await container.execute(BatchUpdateRequest("Employee", setting: ["salary": .value(.double(1))]))
        try await container.execute(BatchDeleteRequest("Employee"))
        let transactions = try container.fetchHistory()
        #expect(transactions.map(\.number) == [1, 2, 3, 4, 5])
        #expect(transactions.map(\.changes.count) == [1, 2, 2, 4, 4])
        #expect(transactions.first?.token == first)
        let kinds = transactions.map { Set($0.changes.map(\.kind)) }
        #expect(kinds == [[.insert], [.insert, .update], [.insert], [.update], [.delete]])
        let update = try #require(transactions[1].changes.first { $0.kind == .update })
        #expect(update.objectID == id && update.updatedProperties == ["salary"])
        #expect(transactions[4].changes.allSatisfy { $0.updatedProperties.isEmpty })
    }

    @Test func aTransactionSaysWhoWhereAndWhen() async throws {
        let before = Date.now
        try await add("Ann", author: "Zoe")
        let transaction = try #require(try container.fetchHistory().first)
        #expect(transaction.author == "Zoe" && transaction.contextName == "adding")
        #expect(transaction.timestamp >= before - 2)
        #expect(transaction.timestamp <= Date.now + 1)
        #expect(transaction.process.description == transaction.token.store, "made by this store's own writer")
    }

    @Test func aFailedSaveLeavesNothing() async throws {
        let (_, token) = try await add("Ann")
        await #expect(throws: ValidationError.self) {
            try await container.hire("a name that is much too long for the model")
        }
        #expect(try container.fetchHistory(after: token).isEmpty)
        #expect(try container.currentHistoryToken() == token)
    }

    @Test func aLimitCutsAndTheLastTokenGoesOn() async throws {
        for number in 1...7 { try await add("\(number)", author: number.isMultiple(of: 2) ? "even" : "odd") }
        var filter = HistoryFilter()
        filter.author = "even"
        var pages: [[Int64]] = []
        var token: HistoryToken?
        while let page = Optional(try container.fetchHistory(after: token, filter: filter, limit: 2)), !page.isEmpty {
            pages.append(page.map(\.number))
            token = page.last?.token
        }
        #expect(pages == [[2, 4], [6]])
    }

    @Test func aDateRemovesWhatWasCommittedBeforeIt() async throws {
        let (_, token) = try await add("Ann")
        let first = try #require(try container.fetchHistory().first)
        try await container.deleteHistory(before: first.timestamp)
        #expect(try container.fetchHistory() == [first], "not before it")
        try await container.deleteHistory(before: Date.now.addingTimeInterval(60))
        #expect(try container.fetchHistory().isEmpty)
        #expect(try container.fetchHistory(after: token).isEmpty, "the newest token stays good")
        let (_, next) = try await add("Bob")
        #expect(try container.fetchHistory(after: token).map(\.token) == [next])
    }

    @Test func aConsumerThatWasHeardOfHoldsTheDateUp() async throws {
        let (_, first) = try await add("Ann")
        try await container.registerHistoryConsumer("index", at: first)
        let (_, second) = try await add("Bob")
        let past = try #require(try container.fetchHistory().last).timestamp - 60
        try await container.deleteHistory(before: past)
        #expect(try container.fetchHistory(after: first).map(\.token) == [second])
        // It was heard of before this date, and not since: history does not wait for it.
        try await container.deleteHistory(before: Date.now.addingTimeInterval(60))
        #expect(throws: HistoryError.expired(first, oldest: second)) { try container.fetchHistory(after: first) }
        #expect(throws: HistoryError.expired(first, oldest: second)) {
            try container.fetchHistory(after: container.historyToken(ofConsumer: "index"))
        }
        await #expect(throws: HistoryError.expired(first, oldest: second)) {
            try await container.registerHistoryConsumer("late", at: first)
        }
    }

    @Test func aTokenOfAnotherStoreIsRefusedEverywhere() async throws {
        let foreign = HistoryToken(store: "another", number: 1)
        try await container.registerHistoryConsumer("index")
        let own = try container.currentHistoryToken().store
        let refusal = HistoryError.foreignToken(foreign, store: own)
        #expect(throws: refusal) { try container.fetchHistory(after: foreign) }
        await #expect(throws: refusal) { try await container.deleteHistory(before: foreign) }
        await #expect(throws: refusal) { try await container.setHistoryToken(foreign, ofConsumer: "index") }
        await #expect(throws: refusal) { try await container.registerHistoryConsumer("other", at: foreign) }
    }
}
