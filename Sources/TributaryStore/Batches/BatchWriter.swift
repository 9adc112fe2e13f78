// Batches: SQL finds the objects of a request, and their changes are merged slice by slice as one transaction.

import GRDB
package import TributaryChanges
import TributaryModel

/// Inserts, updates and deletes many objects in one local transaction of the log.
///
/// The changes come in slices, so that memory does not grow with the batch.
package struct BatchWriter {
    let transaction: WriteTransaction
    /// The number of changes that are merged together.
    static let sliceSize = 20_000

    private var db: Database { transaction.db }
    var reader: Reader { transaction.reader }

    /// Writes a batch as one transaction, whose changes `block` hands over slice by slice.
    ///
    /// `verify` gets the number of the transaction after all changes are merged, before history is written. Nothing is
    /// written when `block` or `verify` throws. Without any change there is no transaction, and the result is nil.
    func commitSlices(
        _ terms: BatchTerms,
        _ block: (_ apply: ([Change]) throws -> Void) throws -> Void,
        verify: (_ number: Int64) throws -> Void = { _ in }
    ) throws -> CommittedTransaction? {
        do {
            return try transaction.inSavepoint {
                var open: (engine: MergeEngine, header: TransactionHeader)?
                let lines = OutgoingLines(db)
                func apply(_ explicit: [Change]) throws {
                    let (engine, header) = try open ?? beginBatch(terms.author, terms.contextName)
                    open = (engine, header)
                    try engine.apply(explicit)
                    try lines.append(explicit)
                }
                try block { changes in
                    guard !changes.isEmpty else { return }
                    let explicit = try LocalChanges(reader: reader).explicit(changes)
                    try terms.deriving?.willApply(explicit, reader)
                    try apply(explicit)
                    let derived = try terms.deriving?.didApply(explicit, reader) ?? []
                    if !derived.isEmpty { try apply(LocalChanges(reader: reader).derived(derived)) }
                }
                if open != nil {
                    try terms.deriving?.finish(reader, slice: BatchWriter.sliceSize) {
                        try apply(LocalChanges(reader: reader).derived($0))
                    }
                }
                var committed: CommittedTransaction?
                if let (engine, begun) = open {
                    var header = begun
                    try verify(engine.cursor.revision)
                    header.changeCount = lines.changeCount
                    committed = try transaction.end(engine, writer: transaction.writers().own, header: header)
                    try transaction.keepForExport(header, lines: lines)
                }
                return committed
            }
        } catch StoreError.sharesKey(let key) {
            throw BatchError.constraint(row: nil, properties: key.properties, existing: key.other)
        }
    }

    private func beginBatch(_ author: String?, _ contextName: String?) throws -> (MergeEngine, TransactionHeader) {
        let header = try transaction.nextHeader(author: author)
        let own = try transaction.writers().own
        return (try transaction.begin(writer: own, header: header, context: contextName, isLocal: true), header)
    }
}

package struct BatchTerms {
    package enum Collision: Sendable {
        case refuse
        /// The other object gets the values of the row.
        case update
        case replace
        case skip
    }

    package var author: String?
    package var contextName: String?
    package var collision: Collision
    package var listsIDs: Bool
    /// Computes derived attributes; nil when the model has none.
    package var deriving: (any BatchDeriving)?

    package init(
        author: String?,
        contextName: String?,
        collision: Collision,
        listsIDs: Bool,
        deriving: (any BatchDeriving)? = nil
    ) {
        self.author = author
        self.contextName = contextName
        self.collision = collision
        self.listsIDs = listsIDs
        self.deriving = deriving
    }
}

package enum BatchExpression: Sendable, Hashable {
    case value(PropertyValue)
    /// Adds to the current number; a missing value counts as zero.
    case increment(PropertyValue)
    /// Copies the value that another attribute of the object had before the update.
    case copy(of: String)
}

package struct BatchWriteResult: Sendable {
    /// Nil when the batch wrote nothing.
    package var committed: CommittedTransaction?
    package var count: Int
    /// Empty unless the caller asked for the IDs.
    package var ids: [ManagedObjectID]

    package init(committed: CommittedTransaction?, count: Int, ids: [ManagedObjectID]) {
        self.committed = committed
        self.count = count
        self.ids = ids
    }
}

/// Computes derived attributes for a batch, which writes in slices and creates no managed objects.
package protocol BatchDeriving: AnyObject {
    /// Reads the values that the slice will overwrite; called before the slice is applied.
    func willApply(_ changes: [Change], _ reader: Reader) throws

    /// Returns the derived attributes of the objects that the slice changed; called after the slice was applied.
    func didApply(_ changes: [Change], _ reader: Reader) throws -> [Change]

    /// Hands over, slice by slice, the derived attributes of other objects; called after all slices were applied.
    func finish(_ reader: Reader, slice: Int, _ take: ([Change]) throws -> Void) throws
}
