// A release build has no Testing module, and builds this target all the same.
#if canImport(Testing)
    import Foundation
    import TestSupport
    package import Testing

    /// A trait that limits how many tests with it run at one time; the others wait in FIFO order.
    ///
    /// Swift Testing starts all tests together. At the end of a test, what it has started ends as well.
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
            try await turnstile.pass {
                let parts = PartsOfTest()
                do {
                    try await PartsOfTest.$current.withValue(parts) { try await function() }
                } catch {
                    for part in parts.running { try? await part.end(afterFailure: true) }
                    throw error
                }
                for part in parts.running { try await part.end(afterFailure: false) }
            }
        }
    }

    /// A service or a process that a test has started, and that ends with the test unless it has ended before.
    package protocol EndingWithTest: AnyObject {
        func end(afterFailure: Bool) async throws
    }

    /// What the running test has started, and what that needs until it has ended.
    ///
    /// `@unchecked Sendable`: a lock guards the lists, and only the test uses what is in them.
    package final class PartsOfTest: @unchecked Sendable {
        @TaskLocal package static var current: PartsOfTest?
        private let lock = NSLock()
        private var parts: [any EndingWithTest] = []
        private var needed: [AnyObject] = []

        package var running: [any EndingWithTest] { lock.withLock { parts } }

        package func insert(_ part: any EndingWithTest) { lock.withLock { parts.append(part) } }

        package func remove(_ part: any EndingWithTest) { lock.withLock { parts.removeAll { $0 === part } } }

        package func keep(_ object: AnyObject) { lock.withLock { needed.append(object) } }
    }
#endif
