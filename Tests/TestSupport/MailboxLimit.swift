import Foundation

/// How many IDs a waiting notice may list in this test run.
///
/// `TRIBUTARY_MAILBOX_LIMIT=1` makes "everything has changed" the normal case, which every context must cope with.
package enum MailboxLimit {
    /// What the environment asks for; nil for the library's own limit.
    package static let asked = ProcessInfo.processInfo.environment["TRIBUTARY_MAILBOX_LIMIT"].flatMap { Int($0) }

    /// Whether a set of so many IDs collapses in this run only because the environment asks for a low limit.
    package static func collapses(_ count: Int) -> Bool { asked.map { count > $0 } ?? false }
}
