/// A treap with nodes that store the sizes of their subtrees: all operations take O(log n) steps.
final class OrderStatisticTree<Element> {
    final class Node {
        let element: Element
        fileprivate var left: Node?
        fileprivate var right: Node?
        fileprivate unowned(unsafe) var parent: Node?
        fileprivate var count = 1
        fileprivate let priority: UInt64

        fileprivate init(_ element: Element, priority: UInt64) {
            self.element = element
            self.priority = priority
        }

        fileprivate func updateCount() { count = 1 + (left?.count ?? 0) + (right?.count ?? 0) }
    }

    private var root: Node?
    private var randomState = UInt64.random(in: .min ... .max)
    private let steps: StepCounter

    var count: Int { root?.count ?? 0 }

    init(steps: StepCounter) {
        self.steps = steps
    }

    var first: Element? {
        var node = root
        while let next = node?.left { node = next }
        return node?.element
    }

    @discardableResult
    func append(_ element: Element) -> Node {
        insert(element) { _ in true }
    }

    /// Adds an element after the elements that satisfy `isBefore`; these elements must precede the others.
    @discardableResult
    func insert(_ element: Element, behind isBefore: (Element) -> Bool) -> Node {
        let new = Node(element, priority: nextPriority())
        guard var node = root else {
            root = new
            return new
        }
        while true {
            steps.count += 1
            node.count += 1
            let isRight = isBefore(node.element)
            guard let next = isRight ? node.right : node.left else {
                if isRight { node.right = new } else { node.left = new }
                new.parent = node
                break
            }
            node = next
        }
        while let parent = new.parent, parent.priority < new.priority { rotateUp(new) }
        return new
    }

    func remove(_ node: Node) {
        while let child = node.child {
            steps.count += 1
            rotateUp(child)
        }
        let parent = node.parent
        detach(node, from: parent)
        node.parent = nil
        var ancestor = parent
        while let above = ancestor {
            steps.count += 1
            above.count -= 1
            ancestor = above.parent
        }
    }

    func index(of node: Node) -> Int {
        var index = node.left?.count ?? 0
        var below = node
        while let above = below.parent {
            steps.count += 1
            if above.right === below { index += above.count - below.count }
            below = above
        }
        return index
    }

    subscript(_ index: Int) -> Element? {
        guard index >= 0 else { return nil }
        var rest = index
        var next = root
        while let node = next {
            steps.count += 1
            let before = node.left?.count ?? 0
            if rest == before { return node.element }
            if rest < before {
                next = node.left
            } else {
                rest -= before + 1
                next = node.right
            }
        }
        return nil
    }

    /// `isBefore` must be true for all elements before the result, and for no later element.
    func first(behind isBefore: (Element) -> Bool) -> Element? {
        var found: Element?
        var next = root
        while let node = next {
            steps.count += 1
            if isBefore(node.element) {
                next = node.right
            } else {
                found = node.element
                next = node.left
            }
        }
        return found
    }

    func forEach(_ block: (Element) -> Void) {
        // The recursion is as deep as the tree, a small multiple of the logarithm of the count.
        func visit(_ node: Node?) {
            guard let node else { return }
            visit(node.left)
            block(node.element)
            visit(node.right)
        }
        visit(root)
    }

    private func rotateUp(_ node: Node) {
        guard let parent = node.parent else { return }
        let above = parent.parent
        if parent.left === node {
            parent.left = node.right
            node.right?.parent = parent
            node.right = parent
        } else {
            parent.right = node.left
            node.left?.parent = parent
            node.left = parent
        }
        parent.parent = node
        node.parent = above
        if let above {
            if above.left === parent { above.left = node } else { above.right = node }
        } else {
            root = node
        }
        parent.updateCount()
        node.updateCount()
    }

    private func detach(_ leaf: Node, from parent: Node?) {
        guard let parent else {
            root = nil
            return
        }
        if parent.left === leaf { parent.left = nil } else { parent.right = nil }
    }

    /// SplitMix64, because the system's generator costs more than an insertion.
    private func nextPriority() -> UInt64 {
        randomState &+= 0x9E37_79B9_7F4A_7C15
        var value = (randomState ^ (randomState >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

extension OrderStatisticTree.Node {
    fileprivate var child: OrderStatisticTree.Node? {
        guard let left else { return right }
        guard let right else { return left }
        return left.priority < right.priority ? right : left
    }
}

/// Counts steps, so that tests and benchmarks need no clock to see how a cost grows.
final class StepCounter {
    var count = 0
}
