/// The numbers of lines that the end line of a baseline states.
package struct BaselineCounts: Sendable, Hashable {
    package var writers = 0
    package var transactions = 0
    /// The changes, greatest and least values, and counters.
    package var changes = 0

    package init() {}
}
