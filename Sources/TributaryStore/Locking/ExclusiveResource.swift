import Glibc
import Synchronization

/// A reentrant lock: the queue of a context, or the write lock of a store.
package final class ExclusiveResource: Sendable {
    package let name: String
    let isLock: Bool
    let holder = Atomic<UInt>(0)
    private let graph: WaitForGraph

    package init(name: String, isLock: Bool = false, graph: WaitForGraph = .shared) {
        self.name = name
        self.isLock = isLock
        self.graph = graph
    }

    package var isHeldHere: Bool { holder.load(ordering: .relaxed) == pthread_self() }

    /// The caller must have acquired the resource.
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

    /// Registers a wait until ``holding(_:)`` or ``stopWaiting()``.
    ///
    /// A wait that would never end is not registered; returns a description of its cycle instead.
    package func startWaiting() -> String? { isHeldHere ? nil : graph.startWaiting(for: self) }

    package func stopWaiting() { graph.stopWaiting() }

    package var outerHolder: String? { graph.resourceHeldBefore(self)?.name }
}

/// A wait-for graph of threads and resources, which detects a deadlock before a thread begins to wait.
package final class WaitForGraph: Sendable {
    /// Shared, because contexts of several containers may wait for each other.
    package static let shared = WaitForGraph()

    private struct Node {
        /// In the order of acquisition, with repetitions.
        var held: [ExclusiveResource] = []
        var awaited: ExclusiveResource?
    }

    private let nodes = Mutex<[UInt: Node]>([:])

    package init() {}

    func hold(_ resource: ExclusiveResource) {
        nodes.withLock { nodes in
            nodes[pthread_self(), default: Node()].held.append(resource)
            nodes[pthread_self()]?.awaited = nil
        }
    }

    func release(_ resource: ExclusiveResource) {
        nodes.withLock { nodes in
            guard var node = nodes[pthread_self()] else { return }
            if let index = node.held.lastIndex(where: { $0 === resource }) { node.held.remove(at: index) }
            nodes[pthread_self()] = node.held.isEmpty && node.awaited == nil ? nil : node
        }
    }

    func startWaiting(for resource: ExclusiveResource) -> String? {
        nodes.withLock { nodes in
            if let cycle = WaitForGraph.cycle(from: resource, nodes) { return cycle }
            nodes[pthread_self(), default: Node()].awaited = resource
            return nil
        }
    }

    func stopWaiting() {
        nodes.withLock { nodes in
            nodes[pthread_self()]?.awaited = nil
            if nodes[pthread_self()]?.held.isEmpty == true { nodes[pthread_self()] = nil }
        }
    }

    package var holdsLock: Bool {
        nodes.withLock { nodes in nodes[pthread_self()]?.held.contains(where: \.isLock) == true }
    }

    func resourceHeldBefore(_ resource: ExclusiveResource) -> ExclusiveResource? {
        nodes.withLock { nodes in
            guard let held = nodes[pthread_self()]?.held, let index = held.firstIndex(where: { $0 === resource }) else {
                return nil
            }
            return held[..<index].last
        }
    }

    private static func cycle(from resource: ExclusiveResource, _ nodes: [UInt: Node]) -> String? {
        let thread = pthread_self()
        var path = [resource]
        while let last = path.last, path.count <= nodes.count + 1 {
            let holder = last.holder.load(ordering: .relaxed)
            if holder == thread { return description(of: path, nodes) }
            guard let next = nodes[holder]?.awaited else { return nil }
            path.append(next)
        }
        return nil
    }

    private static func description(of path: [ExclusiveResource], _ nodes: [UInt: Node]) -> String {
        let caller = nodes[pthread_self()]?.held.last { !$0.isLock }?.name ?? "this thread"
        return "\(caller) waits for " + path.map { name(of: $0, nodes) }.joined(separator: ", which waits for ")
    }

    private static func name(of resource: ExclusiveResource, _ nodes: [UInt: Node]) -> String {
        let held = nodes[resource.holder.load(ordering: .relaxed)]?.held ?? []
        guard let index = held.firstIndex(where: { $0 === resource }), index > 0, resource.isLock else {
            return resource.name
        }
        return "\(resource.name) that \(held[index - 1].name) holds"
    }
}
