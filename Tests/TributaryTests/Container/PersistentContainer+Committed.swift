import Tributary
import TributaryStore

extension PersistentContainer {
    /// The transactions of the store's history, the oldest first.
    var committed: [HistoryTransaction] {
        get throws { try store.read { try $0.history.transactions(after: 0, limit: .max) } }
    }
}
