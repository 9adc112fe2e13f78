import TestSupport
import Tributary

extension MergeOptions {
    /// The options of every test that asks for nothing else: the limit of pending changes is the run's.
    static var fixture: MergeOptions {
        var options = MergeOptions()
        if let limit = PendingLimit.asked { options.pendingLimit = limit }
        return options
    }
}
