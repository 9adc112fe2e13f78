package import TributaryChanges

/// What a batch has done.
package struct BatchOutcome: Sendable {
    /// Nil when there was nothing to write.
    package var committed: CommittedTransaction?
    package var count: Int
    /// Empty unless they were asked for.
    package var ids: [ManagedObjectID]

    package init(committed: CommittedTransaction?, count: Int, ids: [ManagedObjectID]) {
        self.committed = committed
        self.count = count
        self.ids = ids
    }
}
