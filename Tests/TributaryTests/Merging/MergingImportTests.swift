import Glibc
import Synchronization
import TestSupport
import Testing
import TributaryStore

@testable import Tributary

/// No half of an import is ever visible in the main context.
@MainActor
struct MergingImportTests {
    private nonisolated static func id(_ number: Int) -> UniqueID { UniqueID(high: 1, low: UInt64(number)) }

    /// Accounts of which each transaction moves money from one to another: the sum is always 0.
    private nonisolated static func transfer(_ number: Int, accounts: Int) -> [Change] {
        (0..<accounts).map { account in
            let sign: Int64 = account.isMultiple(of: 2) ? 1 : -1
            let values = [
                PropertyWrite(name: "owner", value: .string("owner \(account)")),
                PropertyWrite(name: "balance", value: .integer(sign * Int64(number))),
            ]
            let operation: Change.Operation = number == 0 ? .insert(values) : .update(values)
            return Change(entity: "Account", id: id(account), operation: operation)
        }
    }

    private nonisolated static func transfer(
        _ number: Int,
        accounts: Int,
        in container: PersistentContainer
    ) async throws {
        try await container.importTransactions { transaction in
            let changes = transfer(number, accounts: accounts)
            return ((), [try transaction.commit(LocalTransaction(changes: changes))])
        }
    }

    @Test func theMainContextAlwaysShowsWholeTransactionsAndStands() async throws {
        var random = SeededGenerator.printingSeed()
        let fixture = try await MergingFixture()
        let container = fixture.container
        let accounts = 40
        let imports = Task {
            for number in 0..<150 {
                try await MergingImportTests.transfer(number, accounts: accounts, in: container)
            }
        }
        let context = container.viewContext
        var seen: Set<Int64> = []
        for _ in 0..<300 {
            let generation = container.mainGeneration.number
            let all = try context.fetch(FetchRequest("Account"))
            let balances = try all.map { account -> Int64 in
                guard case .integer(let balance) = try account.value(forKey: "balance") else { return 1 }
                return balance
            }
            #expect(balances.reduce(0, +) == 0, "half a transfer")
            #expect(all.count == 0 || all.count == accounts, "half of the first import")
            #expect(Set(balances.map(abs)).count <= 1, "accounts of different transactions")
            if let balance = balances.first { #expect(balance == generation - 1, "another generation's state") }
            #expect(container.mainGeneration.number == generation, "it moved in the middle of a main-actor job")
            seen.insert(generation)
            if Int.random(in: 0..<3, using: &random) == 0 {
                await container.mergePendingChanges()
            } else {
                await Task.yield()
            }
        }
        try await imports.value
        await container.mergePendingChanges()
        #expect(container.mainGeneration.number == 150)
        #expect(try context.count(for: FetchRequest("Account")) == accounts)
        #expect(seen.count > 1)
        try await container.close()
    }

    /// A save, and the merge for which its caller waits, take several turns with the write lock.
    @Test func noImportComesBetweenTheTurnsOfARequest() async throws {
        let fixture = try await MergingFixture()
        let container = fixture.container
        let log = Mutex<[String]>([])
        let imports = try await container.request {
            let imports = Task {
                try await MergingImportTests.transfer(0, accounts: 2, in: container)
                log.withLock { $0.append("import") }
            }
            for _ in 0..<20 {
                let token = try await fixture.open("owner")
                await container.mergePendingChanges(through: token)
            }
            log.withLock { $0.append("request") }
            return imports
        }
        try await imports.value
        #expect(log.withLock { $0 } == ["request", "import"])
        try await container.close()
    }

    private nonisolated static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    /// Saves wait for the write lock of an import, which must not be kept from running by programs that are as
    /// important.
    @Test func anImportRunsWithThePriorityOfASave() async throws {
        let container = try await MergingFixture().container
        let ofImport = try await container.importTransactions { transaction in
            let header = TransactionHeader(sequence: 1, clock: HybridClock(rawValue: 1 << 16), changeCount: 0)
            try transaction.beginImport(writer: UniqueID(high: 7, low: 1 << 63), header: header)
            return (MergingImportTests.niceness, [try transaction.endImport()])
        }
        let ofSave = await container.newBackgroundContext().perform { _ in MergingImportTests.niceness }
        #expect(ofImport == ofSave)
    }

    @Test func anImportThatFailsAnnouncesNothing() async throws {
        struct Refusal: Error {}
        let fixture = try await MergingFixture()
        await #expect(throws: Refusal.self) {
            try await fixture.container.importTransactions { transaction -> (Void, [CommittedTransaction]) in
                _ = try transaction.commit(LocalTransaction(changes: MergingImportTests.transfer(0, accounts: 2)))
                throw Refusal()
            }
        }
        #expect(fixture.container.pipeline.pendingNotifications.isEmpty)
        #expect(try fixture.stored() == 0)
        try await fixture.container.close()
    }

    @Test func anActivityUnderWayWhenTheContainerClosesIsShownToEnd() async throws {
        let fixture = try await MergingFixture()
        let activities = fixture.container.activities()
        try await fixture.container.activity("Long") { try await fixture.container.close() }
        var phases: [Activity.Phase] = []
        for await activity in activities where activity.title == "Long" { phases.append(activity.phase) }
        #expect(phases == [.started, .finished])
    }

    @Test func importsAndMergesAreShownAsActivities() async throws {
        let fixture = try await MergingFixture()
        let activities = fixture.container.activities()
        try await MergingImportTests.transfer(0, accounts: 2, in: fixture.container)
        await fixture.container.mergePendingChanges()
        await fixture.container.activity("Counting") {}
        try await fixture.container.close()
        var all: [Activity] = []
        for await activity in activities { all.append(activity) }
        let words = all.map { "\($0.title) \($0.phase.rawValue)" }
        #expect(
            words.prefix(6) == [
                "Importing started", "Importing finished", "Merging started", "Merging finished", "Counting started",
                "Counting finished",
            ]
        )
        for (start, end) in zip(all.filter { $0.phase == .started }, all.filter { $0.phase == .finished }) {
            #expect(start.number == end.number)
        }
    }

    /// A limit of ten pending IDs, an import of forty accounts: the main context refreshes all the same.
    @Test func aCollapsedNotificationRefreshesEverythingOfTheEntity() async throws {
        let fixture = try await MergingFixture { $0.pendingLimit = 10 }
        let container = fixture.container
        for number in 0..<2 {
            try await MergingImportTests.transfer(number, accounts: 40, in: container)
            if number == 0 { await container.mergePendingChanges() }
        }
        let held = try container.viewContext.fetch(FetchRequest("Account"))
        #expect(try held.allSatisfy { try $0.value(forKey: "balance") == .integer(0) })
        var updates = container.storeUpdates().makeAsyncIterator()
        await container.mergePendingChanges()
        #expect(await updates.next()?.changes.collapsedEntities == ["Account"])
        #expect(try held.allSatisfy { try $0.value(forKey: "balance") != .integer(0) })
        try await container.close()
    }
}
