import TestSupport
import Testing
import TributaryModel

@testable import TributaryStore

/// A read that is cancelled or takes too long ends, even in the middle of a statement or of a row, and its connection
/// serves the next read.
struct ReadCancellationTests {
    static let endless =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

    /// A read that never ends by itself; it signals `started` when it has begun.
    private static func reading(
        _ generation: Generation,
        _ started: AsyncStream<Void>.Continuation
    ) -> Task<Void, any Error> {
        Task.detached {
            try await generation.readAsync { reader in
                started.yield()
                try BoundStatement(reader.database, unkept: endless).run()
            }
        }
    }

    @Test(.timeLimit(.minutes(30))) func aStatementThatRunsIsInterrupted() async throws {
        let fixture = try StoreFixture()
        try fixture.hire(3)
        let generation = try fixture.store.pin(connections: 2)
        for _ in 0..<5 {
            let (stream, started) = AsyncStream<Void>.makeStream()
            let task = Self.reading(generation, started)
            for await _ in stream { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await generation.readAsync { try $0.census().employees } == 3)
        }
        #expect(try generation.read { try $0.census().employees } == 3)
    }

    @Test(.timeLimit(.minutes(30))) func whoWaitsForAConnectionCanGiveUp() async throws {
        let fixture = try StoreFixture()
        try fixture.hire(2)
        let generation = try fixture.store.pin(connections: 2)
        let (stream, started) = AsyncStream<Void>.makeStream()
        // One connection is reserved for reads that cannot be cancelled.
        let first = Self.reading(generation, started)
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

    @Test func aReadThatIsCancelledBeforeItBeginsNeverBegins() async throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin(connections: 2)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await generation.readAsync { _ in Issue.record("it began") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: Within one row

    /// Matches a string on which the expression backtracks without end: one row, and one instruction of SQLite.
    private static func backtrack(_ reader: Reader) throws {
        let options = StringFunctions.options(.matches, [])
        let text = String(repeating: "a", count: 40)
        let sql = "SELECT \(StringFunctions.match)('\(text)', '(a+)+b', \(options))"
        try BoundStatement(reader.database, unkept: sql).run()
    }

    @Test(.timeLimit(.minutes(30))) func anExpressionThatBacktracksEndsWithTheTime() async throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin(connections: 2)
        await #expect(throws: StoreError.timedOut(after: .milliseconds(20))) {
            try await generation.readAsync(timeout: .milliseconds(20)) { try Self.backtrack($0) }
        }
    }

    @Test(.timeLimit(.minutes(30))) func whoeverGoesAwayEndsItToo() async throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin(connections: 2)
        let (stream, started) = AsyncStream<Void>.makeStream()
        let task = Task.detached {
            try await generation.readAsync(timeout: .seconds(3600)) { (reader: Reader) -> Void in
                started.yield()
                while true { try Self.backtrack(reader) }
            }
        }
        for await _ in stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    // MARK: Beside the generations

    @Test(.timeLimit(.minutes(30))) func aLongReadThatNobodyWaitsForEnds() async throws {
        let fixture = try StoreFixture()
        try fixture.hire(3)
        let store = fixture.store
        #expect(try await store.readAside { try $0.mergeState.digest() } == store.read { try $0.mergeState.digest() })
        let (stream, started) = AsyncStream<Void>.makeStream()
        let task = Task.detached {
            try await store.readAside { reader in
                started.yield()
                try BoundStatement(reader.database, unkept: Self.endless).run()
            }
        }
        for await _ in stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
