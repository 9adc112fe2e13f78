import TestSupport
import Testing
import TributaryModel

@testable import TributaryStore

/// The time limit of a read applies within one row as well.
struct ReadLimitTests {
    /// Matches a string on which the expression backtracks without end: one row, and one instruction of SQLite.
    private static func backtrack(_ reader: Reader) throws {
        let options = StringFunctions.options(.matches, [])
        let text = String(repeating: "a", count: 40)
        try BoundStatement(
            reader.database,
            "SELECT \(StringFunctions.match)('\(text)', '(a+)+b', \(options))",
            isKept: false
        ).run()
    }

    @Test(.timeLimit(.minutes(30)))
    func anExpressionThatBacktracksEndsWithTheTime() async throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin(connections: 2)
        await #expect(throws: StoreError.timedOut(after: .milliseconds(20))) {
            try await generation.readAsync(timeout: .milliseconds(20)) { try ReadLimitTests.backtrack($0) }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func whoeverGoesAwayEndsItToo() async throws {
        let fixture = try StoreFixture()
        let generation = try fixture.store.pin(connections: 2)
        let (stream, started) = AsyncStream<Void>.makeStream()
        let task = Task.detached {
            try await generation.readAsync(timeout: .seconds(3600)) { (reader: Reader) -> Void in
                started.yield()
                while true { try ReadLimitTests.backtrack(reader) }
            }
        }
        for await _ in stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(.timeLimit(.minutes(30)))
    func aLongReadThatNobodyWaitsForEnds() async throws {
        let fixture = try StoreFixture()
        try fixture.hire(3)
        let store = fixture.store
        #expect(try await store.readAside { try $0.mergeState.digest() } == store.read { try $0.mergeState.digest() })
        let (stream, started) = AsyncStream<Void>.makeStream()
        let task = Task.detached {
            try await store.readAside { reader in
                started.yield()
                let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
                try BoundStatement(reader.database, endless, isKept: false).run()
            }
        }
        for await _ in stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
