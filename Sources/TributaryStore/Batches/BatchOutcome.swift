package import TributaryChanges

/// The result of a batch.
package struct BatchWriteResult: Sendable {
    /// The committed transaction; nil when the batch wrote nothing.
    package var committed: CommittedTransaction?
    package var count: Int
    /// The IDs of the objects; empty unless the caller asked for them.
    package var ids: [ManagedObjectID]

    package init(committed: CommittedTransaction?, count: Int, ids: [ManagedObjectID]) {
        self.committed = committed
        self.count = count
        self.ids = ids
    }
}
