import Dispatch
import Synchronization
import TestSupport
import Testing
import TributaryChanges
import TributaryModel

@testable import TributaryStore

/// Only one caller writes at a time, in FIFO order.
struct WriteLockTests {
    private final class Log: Sendable {
        private let entries = Mutex<[Int]>([])
        func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
        var all: [Int] { entries.withLock { $0 } }
    }

    private struct Refusal: Error {}

    /// Takes the write lock; the semaphore gives it back.
    private func takeLock(of store: Store) async -> DispatchSemaphore {
        let entered = Signal()
        let leave = DispatchSemaphore(value: 0)
        store.writer.enqueue { _ in
            entered.raise()
            leave.wait()
        }
        await entered.wait()
        return leave
    }

    @Test func aBlockThatThrowsIsRolledBackAndReleasesTheLock() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        #expect(throws: Refusal.self) {
            try store.write { transaction in
                try StoreFixture.hire(5, in: transaction)
                throw Refusal()
            }
        }
        await #expect(throws: Refusal.self) {
            try await store.writeAsync { transaction in
                try StoreFixture.hire(5, in: transaction)
                throw Refusal()
            }
        }
        #expect(try store.read { try $0.census().employees } == 0)
        #expect(try fixture.hire() == 1)
    }

    /// Several callers wait asynchronously, and one thread blocks behind them.
    @Test func turnsComeInTheOrderOfAsking() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let log = Log()
        let leave = await takeLock(of: store)
        let last = Signal()
        for number in 0..<50 { store.writer.enqueue { _ in log.add(number) } }
        let blocked = Task.detached {
            _ = try store.write { _ in log.add(50) }
            last.raise()
        }
        leave.signal()
        try await blocked.value
        await last.wait()
        try await store.writeAsync { _ in log.add(51) }
        #expect(log.all == Array(0...51))
    }

    @Test func theBlockAfterACommitRunsUnderTheSameLock() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let log = Log()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        _ = try await store.writeAsync {
                            try StoreFixture.hire(in: $0)
                        } committed: { number, _ in
                            log.add(Int(number))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(log.all == Array(1...100))
    }

    enum Request: CaseIterable {
        case write
        case writeAsync
        case pinAsync
        case waitForWriteLock

        func run(_ store: Store) async throws {
            switch self {
            case .write: try store.write { _ in }
            case .writeAsync: try await store.writeAsync { _ in }
            case .pinAsync: try await store.pinAsync().release()
            case .waitForWriteLock: await store.waitForWriteLock()
            }
        }
    }

    @Test(.timeLimit(.minutes(30)), arguments: Request.allCases)
    func whoWaitsForTheLockIsSeen(_ request: Request) async throws {
        let store = try StoreFixture().store
        let leave = await takeLock(of: store)
        #expect(!store.isAwaited)
        let waiting = Task.detached { try await request.run(store) }
        while !store.isAwaited { await Task.yield() }
        leave.signal()
        try await waiting.value
        #expect(!store.isAwaited)
    }

    // MARK: Nested use

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
        let model = try Model(
            yaml: """
                version: "1"
                entities:
                  Order: {relationships: {item_part: {to: Part?}}}
                  Order_item: {relationships: {part: {to: Part?}}}
                  Part: {}
                """
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
