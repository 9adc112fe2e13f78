import Tributary
import TributaryStore

extension PersistentContainer {
    var committed: [HistoryTransaction] {
        get throws { try store.read { try $0.history.transactions(after: 0, limit: .max) } }
    }
}
