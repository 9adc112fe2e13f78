package import TributaryChanges

package enum BaselineItem: Hashable, Sendable {
    /// A change that still has an effect, with its version and the sequence of its transaction.
    ///
    /// The index is that of the version where it decides something, else nil.
    case change(Change, version: Version, index: Int?, sequence: UInt64)
    case bound(BaselineBound)
    case counter(BaselineCounter)
}
