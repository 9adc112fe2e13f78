import GRDB
import TributaryChanges
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
    /// The function draws clock and sequence, adds derived attributes, and writes history and the lines for export.
    /// `verify` gets the number of the transaction after all changes are merged, before history is written.
    ///
    /// - Returns: The transaction; nil when `block` handed over no change, so that there is no transaction.
    /// - Throws: What `block` and `verify` throw; nothing is written then.
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
