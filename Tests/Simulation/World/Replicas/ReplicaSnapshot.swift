import TransactionLog
import TributaryChanges
import TributaryModel

/// An older copy of a replica's store.
struct ReplicaSnapshot {
    let image: StoreImage
    let writer: UniqueID
    /// The transactions of its writer that the store has committed.
    let own: [LogTransaction]
    /// The model of the store.
    let model: Model
    /// The segments of its writer that were in the log folder.
    let files: Set<SegmentName>
}
