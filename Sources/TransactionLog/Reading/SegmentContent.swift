import TributaryChanges

/// Validates the lines of a segment in order: the header, then each transaction with its changes.
struct SegmentContent {
    private let name: SegmentName
    private var header: SegmentHeader?
    private var order: TransactionOrder
    private var changeLines = ChangeLineCheck()
    private var dependencies: SegmentDependencies
    private var slices: SliceBuilder
    private var batches: [SegmentBatch] = []
    /// The content of the current slice; nil when content is not kept, or not only rows.
    private var batch: SegmentBatch?

    init(name: SegmentName, sliceLines: Int, dependenciesAfter sequence: UInt64, keepsContent: Bool) {
        batch = keepsContent ? SegmentBatch() : nil
        self.name = name
        order = TransactionOrder(name)
        dependencies = SegmentDependencies(after: sequence)
        slices = SliceBuilder(lineLimit: sliceLines)
    }

    /// Validates all lines before the end line.
    mutating func read(_ reader: SegmentLineReader, file: String) throws(SegmentError) {
        guard let line = try reader.next() else {
            throw SegmentError(.rejected, file: file, line: 1, reason: "there is no header before the end line")
        }
        do throws(JSONError) {
            let header = try SegmentHeader(line: line)
            try header.check(against: name)
            self.header = header
        } catch {
            throw SegmentError(.rejected, file: file, line: 1, reason: error.reason)
        }
        slices.begin(reader)
        while let line = try reader.next() {
            let sequence = order.nextSequence
            let transaction: TransactionHeader
            do throws(JSONError) {
                transaction = try order.begin(line)
            } catch {
                throw SegmentError(.rejected, file: file, line: reader.line, sequence: sequence, reason: error.reason)
            }
            dependencies.add(transaction)
            slices.beginTransaction(transaction, reader)
            batch?.events.append(.begin(transaction))
            try changeLines.read(transaction, reader, into: &batch, file: file)
            batch?.events.append(.end)
            order.end(transaction)
            slices.endTransaction(transaction, reader)
            endBatch()
        }
        slices.end(last: order.nextSequence &- 1, reader)
        endBatch()
    }

    /// Ends the batch with its slice.
    private mutating func endBatch() {
        guard slices.slices.count > batches.count, var ended = batch else { return }
        ended.endsSlice = true
        batches.append(ended)
        batch = SegmentBatch()
    }

    /// Checks the counts of the end line.
    func check(_ end: SegmentEnd, line: Int, file: String) throws(SegmentError) {
        try order.check(end, line: line, file: file)
    }

    /// Returns the verified segment after all lines have been validated.
    ///
    /// - Throws: ``SegmentError`` `rejected` when there are no transactions.
    func verified(tail: SegmentTail, file: String) throws(SegmentError) -> VerifiedSegment {
        guard let header, order.hasTransactions else {
            throw SegmentError(.rejected, file: file, line: 1, reason: "there are no transactions")
        }
        return VerifiedSegment(
            name: name,
            file: file,
            header: header,
            end: tail.end,
            fileSize: tail.fileSize,
            greatestClock: order.clock,
            dependencies: dependencies.list,
            slices: slices.slices,
            mayNameBlobs: changeLines.mayNameBlobs,
            batches: batch == nil ? [] : batches
        )
    }
}
