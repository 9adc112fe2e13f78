import Synchronization

/// How often each rare thing has happened in the schedules of this process.
///
/// A dimension that is drawn and never has an effect tests nothing: these numbers show it.
package enum Occurrences {
    private static let counts = Mutex<[String: Int]>([:])

    package static func note(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    /// A line for each name.
    static var text: String {
        counts.withLock { $0 }.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }.joined(separator: "\n")
    }
}
