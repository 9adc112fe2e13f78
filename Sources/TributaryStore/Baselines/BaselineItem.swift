package import TributaryChanges

package enum BaselineItem: Hashable, Sendable {
    /// A change that still has an effect, with its version and the sequence of its transaction.
    case change(Change, version: Version, sequence: UInt64)
    case bound(BaselineBound)
    case counter(BaselineCounter)
}
