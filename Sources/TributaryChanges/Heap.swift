package struct Heap<Element: Comparable> {
    @usableFromInline var elements: [Element] = []

    @inlinable
    package init() {}

    @inlinable
    package var first: Element? { elements.first }

    /// O(log n).
    @inlinable
    package mutating func insert(_ element: Element) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0, elements[index] < elements[(index - 1) / 2] {
            elements.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// O(log n).
    @discardableResult
    @inlinable
    package mutating func removeFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            guard least != index else { return first }
            elements.swapAt(index, least)
            index = least
        }
    }
}

extension Heap: Sendable where Element: Sendable {}
