/// The version of a deferred write with its order in its transaction.
///
/// Deferred writes of one transaction come from rows of one table, whose numbers may have no index.
struct DeferredVersion: Equatable {
    /// The number of the version.
    var number: Int64
    /// The indexes of the change in its transaction and of the value in the change.
    var order: [Int64]
}
