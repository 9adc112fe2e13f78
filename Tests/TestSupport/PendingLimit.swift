import Foundation

/// The maximum number of IDs in a pending notification of this test run.
///
/// `TRIBUTARY_PENDING_LIMIT=1` makes "everything has changed" the normal case, which every context must handle.
package enum PendingLimit {
    /// The limit from the environment; nil uses the library's own limit.
    package static let asked = ProcessInfo.processInfo.environment["TRIBUTARY_PENDING_LIMIT"].flatMap { Int($0) }

    /// Whether a set with the given number of IDs collapses only because the environment sets a low limit.
    package static func collapses(_ count: Int) -> Bool { asked.map { count > $0 } ?? false }
}
