import TestSupport
import Testing

/// Limits the number of tests with daemons that run at one time.
///
/// Swift Testing starts all tests together. Daemons without processor time would respond later than their clients wait,
/// and the system gives a user 128 inotify instances.
struct DaemonTurns: SuiteTrait, TestTrait, TestScoping {
    private static let turnstile = Turnstile(places: 6)

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> DaemonTurns? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await Self.turnstile.pass(function)
    }
}

extension Trait where Self == DaemonTurns {
    static var daemonTurns: Self { DaemonTurns() }
}
