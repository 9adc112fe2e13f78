/// A line of a baseline after the lines of the writers.
package enum BaselineEntry: Hashable, Sendable {
    /// A transaction; its changes follow.
    case transaction(BaselineTransaction)
    case change(Change)
    case bound(BaselineBound)
    case counter(BaselineCounter)
}
