import TributaryChanges

/// Finds the waiters for a transaction that has arrived.
///
/// A waiter is a number. It waits for several transactions and is woken once, when the last of them has arrived. All
/// calls together cost O(log n) for each awaited transaction; a transaction without waiters costs O(1).
struct AwaitedTransactions: Sendable {
    private struct Wait: Comparable {
        var sequence: UInt64
        var waiter: Int

        static func < (left: Wait, right: Wait) -> Bool { left.sequence < right.sequence }
    }

    private var queues: [UniqueID: Heap<Wait>] = [:]
    private var counts: [Int: Int] = [:]

    /// Lets `waiter`, which must not be waiting yet, wait until each of these writers has reached its sequence.
    mutating func insert(_ waiter: Int, awaiting needs: [UniqueID: UInt64]) {
        guard !needs.isEmpty else { return }
        counts[waiter] = needs.count
        for (writer, sequence) in needs {
            queues[writer, default: Heap()].insert(Wait(sequence: sequence, waiter: waiter))
        }
    }

    /// Removes and returns the waiters that wait for nothing else, now that a writer has reached a sequence.
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
