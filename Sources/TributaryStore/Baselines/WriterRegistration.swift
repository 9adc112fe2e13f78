package import TributaryChanges

/// Makes writers known to a store before any transaction of theirs is merged.
///
/// The store keeps acknowledgements of known writers only. A store that merges the writers one after the other,
/// without regard to their acknowledgements, must know all of them first.
package struct WriterRegistration {
    private let transaction: WriteTransaction

    package init(_ transaction: WriteTransaction) {
        self.transaction = transaction
    }

    /// Makes writers known, at no position.
    package func register(_ writers: [UniqueID]) throws {
        let table = try transaction.writers()
        for writer in writers { _ = try table.position(of: writer) }
    }
}
