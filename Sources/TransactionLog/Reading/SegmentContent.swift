import TributaryChanges

/// Checks the lines of a segment one after the other: the header, then each transaction with its changes.
struct SegmentContent {
    private let name: SegmentName
    private var header: SegmentHeader?
    private var order: TransactionOrder
    private var changeLines = ChangeLineCheck()
    private var dependencies: SegmentDependencies
    private var slices: SliceBuilder

    /// - Parameters:
    ///   - name: The name of the file, which tells the writer and the range.
    ///   - sliceLines: A slice ends with the transaction that brings it to so many lines.
    ///   - sequence: Dependencies of the transactions after this one are collected.
    init(name: SegmentName, sliceLines: Int, dependenciesAfter sequence: UInt64) {
        self.name = name
        order = TransactionOrder(name)
        dependencies = SegmentDependencies(after: sequence)
        slices = SliceBuilder(lineLimit: sliceLines)
    }

    /// Checks all lines before the end line.
    ///
    /// - Throws: ``SegmentError`` with the line and the reason.
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
            try changeLines.read(transaction, reader, file: file)
            order.end(transaction)
            slices.endTransaction(transaction, reader)
        }
        slices.end(last: order.nextSequence &- 1, reader)
    }

    /// Checks the counts of the end line.
    ///
    /// - Throws: ``SegmentError`` `rejected` when they are not those of the lines.
    func check(_ end: SegmentEnd, line: Int, file: String) throws(SegmentError) {
        try order.check(end, line: line, file: file)
    }

    /// The segment, when all of its lines have been checked.
    ///
    /// - Throws: ``SegmentError`` `rejected` when there are no transactions.
    func verified(tail: SegmentTail, file: String) throws(SegmentError) -> VerifiedSegment {
        guard let header, let firstClock = order.firstClock else {
            throw SegmentError(.rejected, file: file, line: 1, reason: "there are no transactions")
        }
        return VerifiedSegment(
            name: name,
            file: file,
            header: header,
            end: tail.end,
            fileSize: tail.fileSize,
            firstClock: firstClock,
            greatestClock: order.clock,
            dependencies: dependencies.list,
            plannedThrough: dependencies.completeThrough ?? name.last,
            slices: slices.slices,
            mayNameBlobs: changeLines.mayNameBlobs
        )
    }
}
