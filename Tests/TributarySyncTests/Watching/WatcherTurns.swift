import TestSupport
import Testing

/// Limits the number of tests that watch a log folder at one time.
///
/// All tests begin together, and the system gives a user 128 inotify instances.
struct WatcherTurns: SuiteTrait, TestTrait, TestScoping {
    private static let turnstile = Turnstile(places: 16)

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> WatcherTurns? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Self.turnstile.pass(function)
    }
}

extension Trait where Self == WatcherTurns {
    static var watcherTurns: Self { WatcherTurns() }
}
