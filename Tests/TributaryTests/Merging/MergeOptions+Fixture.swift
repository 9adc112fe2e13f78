import TestSupport
import Tributary

extension MergeOptions {
    /// The options of every test that asks for nothing else: the mailbox limit is the run's.
    static var fixture: MergeOptions {
        var options = MergeOptions()
        if let limit = MailboxLimit.asked { options.mailboxLimit = limit }
        return options
    }
}
