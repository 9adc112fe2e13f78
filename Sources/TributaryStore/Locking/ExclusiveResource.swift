import Glibc
import Synchronization

/// Something that one thread holds at a time while others wait for it: the queue of a context, the write lock of a store.
///
/// The thread that holds it may take it again.
package final class ExclusiveResource: Sendable {
    /// What messages call it, such as `the context 'import'`.
    package let name: String
    /// Whether it is a lock that a context takes, and no context; messages then say who has taken it.
    let isLock: Bool
    /// The thread that holds it, 0 for none.
    let holder = Atomic<UInt>(0)
    private let graph: WaitForGraph

    /// A resource that nobody holds.
    ///
    /// - Parameters:
    ///   - name: what messages call it.
    ///   - isLock: whether it is a lock that contexts take.
    ///   - graph: where waiting for it is registered; one graph knows all resources that may wait for each other.
    package init(name: String, isLock: Bool = false, graph: WaitForGraph = .shared) {
        self.name = name
        self.isLock = isLock
        self.graph = graph
    }

    /// Whether the calling thread holds it.
    package var isHeldHere: Bool { holder.load(ordering: .relaxed) == pthread_self() }

    /// Registers that the calling thread holds the resource while `body` runs; the caller has acquired it.
    package func holding<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        let former = holder.load(ordering: .relaxed)
        graph.hold(self)
        holder.store(pthread_self(), ordering: .relaxed)
        defer {
            holder.store(former, ordering: .relaxed)
            graph.release(self)
        }
        return try body()
    }

    /// Registers that the calling thread is about to wait for the resource; ``holding(_:)`` or ``stopWaiting()`` ends it.
    ///
    /// - Returns: The cycle in words when the wait could never end, and nothing is registered then; nil otherwise.
    package func startWaiting() -> String? { isHeldHere ? nil : graph.startWaiting(for: self) }

    /// Registers that the calling thread waits no more.
    package func stopWaiting() { graph.stopWaiting() }

    /// What the calling thread held when it took this resource, by name; nil when it held nothing.
    package var outerHolder: String? { graph.resourceHeldBefore(self)?.name }
}
