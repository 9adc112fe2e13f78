import Glibc
import Synchronization

/// Which threads hold which resources, and which resource each of them waits for: a wait that would close a cycle is
/// found before it begins.
///
/// Whoever registers last sees the whole cycle, because a thread registers what it holds before it waits.
package final class WaitForGraph: Sendable {
    /// The one of the process: contexts of several containers may wait for each other.
    package static let shared = WaitForGraph()

    private struct Node {
        /// In the order in which the thread took them; one that it took again is there twice.
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

    /// Whether the calling thread holds a lock.
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

    /// Follows who holds what is waited for; the cycle in words when it leads back to the calling thread.
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

    /// The caller waits for the first of the path, whose holder waits for the second, and so on; the caller holds the last.
    private static func description(of path: [ExclusiveResource], _ nodes: [UInt: Node]) -> String {
        let caller = nodes[pthread_self()]?.held.last { !$0.isLock }?.name ?? "this thread"
        return "\(caller) waits for " + path.map { name(of: $0, nodes) }.joined(separator: ", which waits for ")
    }

    /// The name, with the context that holds it when the resource itself is no context.
    private static func name(of resource: ExclusiveResource, _ nodes: [UInt: Node]) -> String {
        let held = nodes[resource.holder.load(ordering: .relaxed)]?.held ?? []
        guard let index = held.firstIndex(where: { $0 === resource }), index > 0, resource.isLock else {
            return resource.name
        }
        return "\(resource.name) that \(held[index - 1].name) holds"
    }
}
