import TributaryChanges

/// The waiters for transactions of writers, found by a transaction that has come.
///
/// A waiter waits for several transactions and is woken once, when the last of them is there. All calls together cost
/// O(log n) for each awaited transaction; a transaction that nobody awaits costs O(1).
struct AwaitedTransactions<Waiter: Hashable>: Sendable where Waiter: Sendable {
    /// A binary heap of the waiters for a writer; the least sequence is at the front.
    private struct Queue {
        private var heap: [(sequence: UInt64, waiter: Waiter)] = []

        var least: UInt64? { heap.first?.sequence }

        mutating func insert(_ waiter: Waiter, _ sequence: UInt64) {
            heap.append((sequence, waiter))
            var index = heap.count - 1
            while index > 0, heap[index].sequence < heap[(index - 1) / 2].sequence {
                heap.swapAt(index, (index - 1) / 2)
                index = (index - 1) / 2
            }
        }

        mutating func removeFirst() -> Waiter? {
            guard let last = heap.popLast() else { return nil }
            guard let first = heap.first else { return last.waiter }
            heap[0] = last
            var index = 0
            while true {
                var least = index
                for child in [2 * index + 1, 2 * index + 2]
                where child < heap.count && heap[child].sequence < heap[least].sequence {
                    least = child
                }
                guard least != index else { return first.waiter }
                heap.swapAt(index, least)
                index = least
            }
        }
    }

    private var queues: [UniqueID: Queue] = [:]
    /// For how many transactions each still waits.
    private var counts: [Waiter: Int] = [:]

    /// Has `waiter`, which waits for nothing yet, wait until each of these writers has reached its sequence.
    mutating func insert(_ waiter: Waiter, awaiting needs: [UniqueID: UInt64]) {
        guard !needs.isEmpty else { return }
        counts[waiter] = needs.count
        for (writer, sequence) in needs { queues[writer, default: Queue()].insert(waiter, sequence) }
    }

    /// Removes and returns the waiters that wait for nothing else, now that a writer has reached a sequence.
    mutating func reached(_ sequence: UInt64, of writer: UniqueID) -> [Waiter] {
        var woken: [Waiter] = []
        while let least = queues[writer]?.least, least <= sequence, let waiter = queues[writer]?.removeFirst() {
            counts[waiter, default: 0] -= 1
            if counts[waiter] == 0 {
                counts[waiter] = nil
                woken.append(waiter)
            }
        }
        return woken
    }
}
