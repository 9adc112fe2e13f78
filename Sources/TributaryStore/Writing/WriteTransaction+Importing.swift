import GRDB
package import TributaryChanges
import TributaryModel

extension WriteTransaction {
    package func meet(_ writer: UniqueID, _ incarnation: Incarnation) throws {
        try writers().meet(writer, incarnation)
    }

    /// Begins a transaction of another writer; its changes follow in slices, then ``endImport()``.
    package func beginImport(writer: UniqueID, header: TransactionHeader) throws {
        let writers = try writers()
        let expected = try writers.nextSequence(of: writer)
        guard header.sequence == expected, imported == nil else {
            throw StoreError.outOfSequence(writer: writer, sequence: header.sequence, expected: expected)
        }
        imported = (writer, header)
        let engine = try begin(writer: writer, header: header, context: nil, isLocal: false)
        try engine.conflicts.begin(seen: writers.rows(of: header.seen))
    }

    /// Applies the next changes of the transaction; in large stores large slices are faster.
    package func apply(_ changes: [Change]) throws {
        try engine().apply(changes)
    }

    /// Sets where to read the binaries that later changes only name; without a source such a value stays a name.
    package func setBlobSource(_ source: BlobSource?) throws {
        try engine().external.source = source
    }

    package func apply(_ run: RowRun) throws {
        try engine().apply(run)
    }

    /// Allows plain inserts and updates to wait, so that rows of several transactions are sorted and applied together.
    ///
    /// Reads of the store do not see the waiting rows until ``applyWaiting()``.
    package func letRowsWait() throws {
        try engine().bulk.isAllowed = true
    }

    /// Whether the waiting rows arrived in the order of the merge; then waiting for more rows saves nothing.
    package var rowsAreInOrder: Bool { engineInUse?.bulk.waiting.areInOrder ?? true }

    package func freePages() throws { try db.execute(sql: "PRAGMA shrink_memory") }

    /// The effects of a transaction are complete after this call.
    package func applyWaiting() throws {
        try engineInUse?.flush()
    }

    package func endImport() throws -> CommittedTransaction {
        guard let (writer, header) = imported else {
            throw StoreError.database(code: 21, message: "no import has been begun")
        }
        imported = nil
        try writers().addSeen(by: writer, header.seen)
        return try end(engine(), writer: writer, header: header)
    }

    /// Records a segment after all of its transactions were applied, and the writer's name from its header.
    ///
    /// - Returns: The name, from this or an earlier header.
    @discardableResult
    package func recordSegment(_ record: SegmentRecord, name: String?) throws -> String? {
        try writers().record(record, name: name)
    }

    package static let joinAuthor = "baseline"

    /// Joins a baseline: afterwards the store has the effects of its own transactions and of the baseline's
    /// transactions.
    ///
    /// The baseline may be of another version of the model, if both versions have the same merge rules for their common
    /// properties. Changes that the store's model lacks are deferred.
    ///
    /// The positions and clocks of writers that are ahead in the baseline move with it, and so do all acknowledgements.
    /// A store that has already applied the whole baseline does not change. The store first leaves a writer of its own
    /// that the baseline continues (``leaveClaimedWriter(_:)``).
    ///
    /// - Throws: ``BaselineJoinError``, ``StoreError``, and errors of `next`; then nothing may be committed.
    package func joinBaseline(
        _ header: BaselineHeader,
        writers: [BaselineWriter],
        transactionCount: Int,
        next: () throws -> BaselineEntry?
    ) throws -> CommittedTransaction? {
        let layout = reader.context.layout
        var joined = try reader.joinedRules
        let unknown = try layout.compare(header, joined: joined)
        _ = try leaveClaimedWriter(writers)
        let table = try self.writers()
        let vector = try BaselineVector(writers, table, keepingTotalsOf: contradictedWriter)
        guard !vector.ahead.isEmpty else { return nil }
        if !unknown.roots.isEmpty {
            joined.add(unknown)
            let bytes = layout.rules(and: joined).json.text.utf8.count
            guard bytes <= StoreModel.ruleBytes else { throw BaselineJoinError.tooManyRules(bytes: bytes) }
            try setSetting(StoreModel.joinedRules, to: joined.json.text)
        }
        let rules = layout.rules(and: joined)
        let join = try BaselineJoin(self, header, vector, rules: rules, transactionCount: transactionCount)
        while let entry = try next() { try join.merge(entry) }
        try join.end()
        try vector.move(table)
        let engine = try engine()
        let header = TransactionHeader(
            sequence: 0,
            clock: try table.position(of: table.own).clock,
            author: WriteTransaction.joinAuthor,
            changeCount: engine.cursor.changeCount
        )
        return CommittedTransaction(number: join.number, writer: table.own, header: header, engine: engine)
    }
}
