import Synchronization
import TestSupport
import Tributary
import TributaryStore

final class StatementCounter: Sendable {
    private let counted = Mutex(0)

    var count: Int { counted.withLock { $0 } }

    func reset() { counted.withLock { $0 = 0 } }

    var log: SQLLog {
        SQLLog { [self] entry in
            guard entry.text.contains("SELECT"), !entry.text.contains("tributary_transaction") else { return }
            counted.withLock { $0 += 1 }
        }
    }
}

extension Store {
    /// The lines of each transaction of this store that goes out.
    func localTransactions(from sequence: UInt64 = 1) throws -> [[String]] {
        try read { reader in
            var found: [[String]] = []
            try reader.outbox.localTransactions(of: reader.writers.own().id, from: sequence) { transaction in
                found.append(String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n").map(String.init))
                return true
            }
            return found
        }
    }

    func localLines() throws -> String { try localTransactions().joined().joined(separator: "\n") }

    func digest() throws -> String { try read { try $0.mergeState.digest().digest } }
}

extension StoreEnvironment {
    /// A clock that stands still and random numbers that can be had again.
    static func seeded(_ seed: UInt64) -> StoreEnvironment {
        let generator = Mutex(SeededGenerator(seed: seed))
        return StoreEnvironment(wallTime: { 1_700_000_000_000 }, random: { generator.withLock { $0.next() } })
    }
}
