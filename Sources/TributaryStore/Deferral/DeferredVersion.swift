/// The version of a deferred write, with its order in its transaction.
///
/// Deferred writes of one transaction are rows of one table, whose version numbers may lack the index of the change.
struct DeferredVersion: Equatable {
    var number: Int64
    /// The indexes of the change in its transaction and of the value in the change.
    var order: [Int64]
}
