import Dispatch
import TestSupport
import Testing

@testable import TributaryStore

/// Threads that hold one resource and wait for another.
struct WaitForGraphTests {
    private let graph = WaitForGraph()

    private func resource(_ name: String, isLock: Bool = false) -> ExclusiveResource {
        ExclusiveResource(name: name, isLock: isLock, graph: graph)
    }

    /// Runs a thread that holds `held`, in order, and waits for `awaited` until `body` ends.
    private func with(
        _ held: [ExclusiveResource],
        waitingFor awaited: ExclusiveResource,
        _ body: () async throws -> Void
    ) async throws {
        let (isReady, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let thread: Void = onThread {
            hold(held[...]) {
                if let cycle = awaited.startWaiting() { Issue.record("a cycle before its time: \(cycle)") }
                isReady.signal()
                isOver.wait()
                awaited.stopWaiting()
            }
        }
        try await onThread { isReady.wait() }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        isOver.signal()
        try await thread
        try result.get()
    }

    @Test func aCycleOfTwoIsNamed() async throws {
        let (a, b) = (resource("the context 'a'"), resource("the context 'b'"))
        try await with([b], waitingFor: a) {
            let cycle = try await onThread { a.holding { b.startWaiting() } }
            #expect(cycle == "the context 'a' waits for the context 'b', which waits for the context 'a'")
            // A thread that holds no resource may wait.
            #expect(try await onThread { b.startWaiting() } == nil)
        }
    }

    @Test func aCycleOfThreeIsNamed() async throws {
        let (a, b, c) = (resource("a"), resource("b"), resource("c"))
        try await with([b], waitingFor: c) {
            try await with([c], waitingFor: a) {
                let cycle = try await onThread { a.holding { b.startWaiting() } }
                #expect(cycle == "a waits for b, which waits for c, which waits for a")
            }
        }
    }

    @Test func aLockIsNamedWithTheContextThatHoldsIt() async throws {
        let (a, b, lock) = (
            resource("the context 'a'"), resource("the context 'b'"), resource("the lock", isLock: true)
        )
        try await with([a, lock], waitingFor: b) {
            let cycle = try await onThread { b.holding { lock.startWaiting() } }
            #expect(
                cycle
                    == "the context 'b' waits for the lock that the context 'a' holds, which waits for the context 'b'"
            )
        }
        try await with([b], waitingFor: lock) {
            let cycle = try await onThread { a.holding { lock.holding { b.startWaiting() } } }
            #expect(
                cycle
                    == "the context 'a' waits for the context 'b', which waits for the lock that the context 'a' holds"
            )
        }
    }

    @Test func aLineIsNoCycleAndAThreadMayTakeAgainWhatItHolds() async throws {
        let (a, b, c) = (resource("a"), resource("b"), resource("c"))
        try await with([b], waitingFor: c) {
            try await onThread {
                a.holding {
                    #expect(b.startWaiting() == nil)
                    b.stopWaiting()
                    #expect(a.startWaiting() == nil)
                    #expect(a.holding { a.isHeldHere })
                    #expect(a.isHeldHere && !b.isHeldHere)
                }
                #expect(!a.isHeldHere)
            }
        }
        // The first wait has ended, so the opposite order closes no cycle either.
        try await with([c], waitingFor: b) {}
    }
}

private func hold(_ resources: ArraySlice<ExclusiveResource>, _ body: () -> Void) {
    guard let first = resources.first else { return body() }
    first.holding { hold(resources.dropFirst(), body) }
}
