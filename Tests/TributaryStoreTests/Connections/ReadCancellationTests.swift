import TestSupport
import Testing

@testable import TributaryStore

/// A cancelled read ends, even in the middle of a statement, and its connection serves the next read.
struct ReadCancellationTests {
    private static let endless =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

    /// A read that never ends by itself; it signals `started` when it has begun.
    private static func reading(
        _ generation: Generation,
        _ started: AsyncStream<Void>.Continuation
    ) -> Task<Void, any Error> {
        Task.detached {
            try await generation.readAsync { reader in
                started.yield()
                try BoundStatement(reader.database, endless, isKept: false).run()
            }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func aStatementThatRunsIsInterrupted() async throws {
        let fixture = try StoreFixture()
        try fixture.hire(3)
        let generation = try fixture.store.pin(connections: 2)
        for _ in 0..<5 {
            let (stream, started) = AsyncStream<Void>.makeStream()
            let task = ReadCancellationTests.reading(generation, started)
            for await _ in stream { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await generation.readAsync { try $0.census().employees } == 3)
        }
        #expect(try generation.read { try $0.census().employees } == 3)
    }

    @Test(.timeLimit(.minutes(30)))
    func whoWaitsForAConnectionCanGiveUp() async throws {
        let fixture = try StoreFixture()
        try fixture.hire(2)
        let generation = try fixture.store.pin(connections: 2)
        let (stream, started) = AsyncStream<Void>.makeStream()
        // One connection is reserved for reads that cannot be cancelled.
        let first = ReadCancellationTests.reading(generation, started)
        for await _ in stream { break }
        let waiting = Task.detached { try await generation.readAsync { try $0.census().employees } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let patient = Task.detached { try await generation.readAsync { try $0.census().employees } }
        #expect(try generation.read { try $0.census().employees } == 2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await patient.value == 2)
    }

    @Test
    func aReadThatIsCancelledBeforeItBeginsNeverBegins() async throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin(connections: 2)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await generation.readAsync { _ in Issue.record("it began") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
