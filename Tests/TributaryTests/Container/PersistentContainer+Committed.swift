import Tributary
import TributaryStore

extension PersistentContainer {
    /// What the store's history has, the oldest first.
    var committed: [HistoryTransaction] {
        get throws { try store.read { try $0.history.transactions(after: 0, limit: .max) } }
    }
}
