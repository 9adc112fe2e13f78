import Synchronization
import Tributary

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
