import Glibc
import Synchronization

/// A lock that one thread holds at a time: the queue of a context, or the write lock of a store.
///
/// The thread that holds it may take it again.
package final class ExclusiveResource: Sendable {
    /// The name of the resource in messages, such as `the context 'import'`.
    package let name: String
    /// Whether the resource is a lock that a context takes, and not a context; messages then name the holder.
    let isLock: Bool
    let holder = Atomic<UInt>(0)
    private let graph: WaitForGraph

    package init(name: String, isLock: Bool = false, graph: WaitForGraph = .shared) {
        self.name = name
        self.isLock = isLock
        self.graph = graph
    }

    package var isHeldHere: Bool { holder.load(ordering: .relaxed) == pthread_self() }

    /// Registers that the calling thread, which has acquired the resource, holds it while `block` runs.
    package func holding<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        let former = holder.load(ordering: .relaxed)
        graph.hold(self)
        holder.store(pthread_self(), ordering: .relaxed)
        defer {
            holder.store(former, ordering: .relaxed)
            graph.release(self)
        }
        return try block()
    }

    /// Registers that the calling thread is about to wait for the resource.
    ///
    /// ``holding(_:)`` or ``stopWaiting()`` ends the registration.
    ///
    /// - Returns: A description of the cycle when the wait could never end, and nothing is registered then; nil
    ///   otherwise.
    package func startWaiting() -> String? { isHeldHere ? nil : graph.startWaiting(for: self) }

    package func stopWaiting() { graph.stopWaiting() }

    /// The name of the resource that the calling thread held when it took this one; nil when it held nothing.
    package var outerHolder: String? { graph.resourceHeldBefore(self)?.name }
}
