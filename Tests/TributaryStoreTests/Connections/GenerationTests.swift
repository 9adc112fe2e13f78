import Dispatch
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import TributaryStore

/// A generation stays as it is while others write, until it is moved.
struct GenerationTests {
    @Test func staysWhileOthersWrite() throws {
        let fixture = try StoreFixture()
        try fixture.hire(2)
        let generation = try fixture.store.pin(connections: 2)
        #expect(generation.number == 1)
        for _ in 0..<10 {
            try fixture.hire(3)
            let census = try generation.read { try $0.census() }
            #expect(census.employees == 2)
            #expect(census.newest == 1)
        }
        #expect(try fixture.store.read { try $0.census().employees } == 32)
    }

    @Test func allConnectionsOfAGenerationShowTheSame() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try fixture.hire()
        let isOver = Atomic(false)
        // The write runs on its own thread, because it would block one of the few that tasks share.
        async let writing: Void = onThread {
            while !isOver.load(ordering: .relaxed) { _ = try store.write { try StoreFixture.hire(in: $0) } }
        }
        defer { isOver.store(true, ordering: .relaxed) }
        for _ in 0..<20 {
            let generation = try store.pin(connections: 3)
            // Three simultaneous reads need all three connections.
            let gate = Barrier(3)
            let seen = try await withThrowingTaskGroup(of: Int64.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await onThread {
                            try generation.read { reader in
                                gate.arriveAndWait()
                                return try reader.census().newest
                            }
                        }
                    }
                }
                var all: Set<Int64> = []
                for try await number in group { all.insert(number) }
                return all
            }
            #expect(seen == [generation.number])
        }
        isOver.store(true, ordering: .relaxed)
        try await writing
    }

    @Test func readsOfAMovedGenerationGoToTheNewOne() async throws {
        let fixture = try StoreFixture()
        try fixture.hire()
        let first = try fixture.store.pin(connections: 2)
        try fixture.hire()
        let second = try fixture.store.move(from: first, connections: 2)
        try fixture.hire()
        let third = try fixture.store.move(from: second, connections: 2)
        #expect([first.number, second.number, third.number] == [1, 2, 3])
        #expect(try first.read { try $0.history.newestTransaction() } == 3)
        #expect(try await second.readAsync(timeout: .seconds(10)) { try $0.history.newestTransaction() } == 3)
    }

    @Test func movingDoesNotWaitForASlowReader() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        try fixture.hire()
        let old = try store.pin(connections: 3)
        let begun = Signal()
        let leave = DispatchSemaphore(value: 0)
        let slow = Task {
            try await onThread {
                try old.read { reader in
                    begun.raise()
                    leave.wait()
                    return try reader.census()
                }
            }
        }
        await begun.wait()
        try fixture.hire()
        let new = try store.move(from: old, connections: 3)
        #expect(try new.read { try $0.history.newestTransaction() } == 2)
        #expect(try old.read { try $0.history.newestTransaction() } == 2, "a read that begins later")
        leave.signal()
        let census = try await slow.value
        #expect(census.newest == 1, "the read that had begun")
    }

    @Test func aReadInsideAReadUsesTheSameConnection() throws {
        let fixture = try StoreFixture()
        try fixture.hire()
        let generation = try fixture.store.pin()
        let inner = try generation.read { _ in
            try generation.read { try $0.history.newestTransaction() }
        }
        #expect(inner == 1)
    }

    @Test func connectionsComeBack() throws {
        let fixture = try StoreFixture()
        try fixture.hire()
        for _ in 0..<100 {
            let generation = try fixture.store.pin(connections: 3)
            _ = try generation.read { try $0.census() }
        }
        // Three connections of readers, and the writer's.
        #expect(try openFiles(fixture.path) <= 4)
    }

    /// How many descriptors of this process are open for a file.
    private func openFiles(_ path: String) throws -> Int {
        let listed = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: listed).count {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(listed)/\($0)")) == path
        }
    }

    /// The main context never waits for slow admin reads.
    @Test func readsWithATimeLimitLeaveOneConnection() async throws {
        let fixture = try StoreFixture()
        try fixture.hire()
        let generation = try fixture.store.pin(connections: 3)
        let leave = DispatchSemaphore(value: 0)
        let begun = [Signal(), Signal()]
        let slow = (0..<2).map { number in
            Task {
                try await generation.readAsync(timeout: .seconds(60)) { reader in
                    begun[number].raise()
                    leave.wait()
                    return try reader.history.newestTransaction()
                }
            }
        }
        for signal in begun { await signal.wait() }
        let third = Task {
            try await generation.readAsync(timeout: .seconds(60)) { try $0.history.newestTransaction() }
        }
        #expect(try generation.read { try $0.history.newestTransaction() } == 1)
        leave.signal()
        leave.signal()
        for task in slow { #expect(try await task.value == 1) }
        #expect(try await third.value == 1)
    }

    @Test func aReadThatTakesTooLongIsInterrupted() async throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin(connections: 2)
        let endless = ReadCancellationTests.endless
        await #expect(throws: StoreError.timedOut(after: .milliseconds(50))) {
            try await generation.readAsync(timeout: .milliseconds(50)) {
                try Int.fetchOne($0.database, sql: endless)
            }
        }
        #expect(try generation.read { try $0.history.newestTransaction() } == 0, "the connection is of use still")
    }
}
