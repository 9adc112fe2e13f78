import TributaryChanges

enum BaselineItem {
    /// A change that still has an effect, with its version and the sequence of its transaction.
    ///
    /// Changes with a place come after the others of their transaction, in the order of their places.
    case change(Change, version: Version, sequence: UInt64, place: DeferredObject.Place? = nil)
    case bound(BaselineBound)
    case counter(BaselineCounter)
}
