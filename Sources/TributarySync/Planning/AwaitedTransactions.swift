import TributaryChanges

/// Finds the waiters for a transaction; each is woken once, when the last of its awaited transactions has arrived.
///
/// O(log n) for each awaited transaction, and O(1) for a transaction without waiters.
struct AwaitedTransactions: Sendable {
    private struct Wait: Comparable {
        var sequence: UInt64
        var waiter: Int

        static func < (left: Wait, right: Wait) -> Bool { left.sequence < right.sequence }
    }

    private var queues: [UniqueID: Heap<Wait>] = [:]
    private var counts: [Int: Int] = [:]

    /// `waiter` must not be waiting yet.
    mutating func insert(_ waiter: Int, awaiting needs: [UniqueID: UInt64]) {
        guard !needs.isEmpty else { return }
        counts[waiter] = needs.count
        for (writer, sequence) in needs {
            queues[writer, default: Heap()].insert(Wait(sequence: sequence, waiter: waiter))
        }
    }

    mutating func reached(_ sequence: UInt64, of writer: UniqueID) -> [Int] {
        var woken: [Int] = []
        while let next = queues[writer]?.first, next.sequence <= sequence {
            queues[writer]?.removeFirst()
            counts[next.waiter, default: 0] -= 1
            if counts[next.waiter] == 0 {
                counts[next.waiter] = nil
                woken.append(next.waiter)
            }
        }
        return woken
    }
}
