import GRDB
package import TributaryChanges
import TributaryModel

extension WriteTransaction {
    package func meet(_ writer: UniqueID, _ incarnation: Incarnation) throws {
        try writers().meet(writer, incarnation)
    }

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

    /// In large stores, large slices are faster.
    package func apply(_ changes: [Change]) throws {
        try engine().apply(changes)
    }

    /// The source of binaries that later changes only name; without it, such values stay names.
    package func setBlobSource(_ source: BlobSource?) throws {
        try engine().external.source = source
    }

    package func apply(_ run: RowRun) throws {
        try engine().apply(run)
    }

    /// Sorts and applies rows of several transactions together; reads do not see them until ``applyWaiting()``.
    package func letRowsWait() throws {
        try engine().bulk.isAllowed = true
    }

    /// If the rows arrived in merge order, waiting for more rows saves nothing.
    package var rowsAreInOrder: Bool { engineInUse?.bulk.waiting.areInOrder ?? true }

    package func freePages() throws { try db.execute(sql: "PRAGMA shrink_memory") }

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

    /// Call after the segment's transactions; returns the writer's name from this or an earlier header.
    @discardableResult
    package func recordSegment(_ record: SegmentRecord, name: String?) throws -> String? {
        try writers().record(record, name: name)
    }

    package static let joinAuthor = "baseline"

    /// Merges a baseline of a model version with the same rules for common properties.
    ///
    /// Positions and clocks of writers move ahead, as do all acknowledgements. The store first leaves an own writer
    /// that the baseline continues. Nothing may be committed after an error.
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
