import Foundation
import TestSupport
import Testing

@testable import TributaryStore

/// SQLite restarts the WAL although a generation is always pinned.
struct GenerationWALTests {
    private func walBytes(_ fixture: StoreFixture) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.path + "-wal")
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }

    /// 200 moves with about 40 MiB written between them; without the release before the checkpoint the WAL keeps all of
    /// it.
    @Test func staysShortUnderTwoHundredMoves() throws {
        let fixture = try StoreFixture()
        var generation = try fixture.store.pin(connections: 3)
        var peak = 0
        for _ in 0..<200 {
            try fixture.hire(50, nameLength: 4000)
            generation = try fixture.store.move(from: generation, connections: 3)
            peak = max(peak, try walBytes(fixture))
        }
        #expect(try generation.read { try $0.census().employees } == 10_000)
        #expect(peak < 8 << 20, "\(peak) bytes")
    }

    /// The WAL keeps at most the bytes since the preceding move, however the two threads are scheduled.
    @Test func staysShortWhileAnotherThreadWritesAllTheTime() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let commits: Int64 = 300
        async let writing: Void = onThread {
            for _ in 0..<commits { _ = try store.write { try StoreFixture.hire(30, nameLength: 4000, in: $0) } }
        }
        let (peak, gap) = try await onThread {
            var generation = try store.pin(connections: 3)
            var peak = 0
            var gap: Int64 = 0
            while generation.number < commits {
                let next = try store.move(from: generation, connections: 3)
                gap = max(gap, next.number - generation.number)
                generation = next
                peak = max(peak, try walBytes(fixture))
            }
            return (peak, Int(gap))
        }
        try await writing
        let bytesOfCommit = 400 << 10
        #expect(peak < (8 << 20) + 2 * gap * bytesOfCommit, "\(peak) bytes, at most \(gap) commits between two moves")
    }

    /// A long-lived generation makes the WAL long; releasing it frees the space.
    @Test func givesItsSpaceBackWhenTheStoreComesToRest() throws {
        let fixture = try StoreFixture()
        let held = try fixture.store.pin(connections: 2)
        for _ in 0..<60 { try fixture.hire(50, nameLength: 4000) }
        #expect(try walBytes(fixture) > 8 << 20)
        let shown = try fixture.store.move(from: held, connections: 2)
        #expect(try walBytes(fixture) <= 5 << 20)
        #expect(try shown.read { try $0.census().employees } == 3_000)
        // This also holds when only little was written since.
        let next = try fixture.store.move(from: shown, connections: 2)
        #expect(try walBytes(fixture) <= 5 << 20)
        #expect(try next.read { try $0.census().employees } == 3_000)
    }

    @Test func isCopiedBackWithoutAnyGeneration() throws {
        let fixture = try StoreFixture()
        var peak = 0
        for _ in 0..<200 {
            try fixture.hire(50, nameLength: 4000)
            peak = max(peak, try walBytes(fixture))
        }
        #expect(peak < 8 << 20, "\(peak) bytes")
    }
}
