/// The numbers of the lines of a baseline, for its end line.
package struct BaselineCounts: Sendable, Hashable {
    package var writers = 0
    package var transactions = 0
    /// The changes, greatest and least values, and counters.
    package var changes = 0

    package init() {}
}
