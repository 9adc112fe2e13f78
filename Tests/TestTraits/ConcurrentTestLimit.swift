// A release build has no Testing module, and builds this target all the same.
#if canImport(Testing)
    import TestSupport
    package import Testing

    /// A trait that limits how many tests with it run at one time; the others wait in FIFO order.
    ///
    /// Swift Testing starts all tests together.
    package struct ConcurrentTestLimit: SuiteTrait, TestTrait, TestScoping {
        private let turnstile: Turnstile

        /// - Parameter places: how many tests may run at one time.
        package init(places: Int) { turnstile = Turnstile(places: places) }

        package var isRecursive: Bool { true }

        package func scopeProvider(for test: Test, testCase: Test.Case?) -> ConcurrentTestLimit? {
            testCase == nil ? nil : self
        }

        package func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            try await turnstile.pass(function)
        }
    }
#endif
