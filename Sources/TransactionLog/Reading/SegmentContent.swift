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
        order = TransactionOrder(name: name)
        dependencies = SegmentDependencies(start: sequence)
        slices = SliceBuilder(lineLimit: sliceLines)
    }

    mutating func read(_ reader: SegmentLineReader, file: String) throws(SegmentError) {
        guard let line = try reader.next() else {
            throw SegmentError(.rejected, file: file, line: 1, reason: "there is no header before the end line")
        }
        header = try reader.parse { () throws(JSONError) in
            let header = try SegmentHeader(line: line)
            try header.check(against: name)
            return header
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

/// Checks that the transactions of a segment match its name: consecutive sequences, increasing clocks.
struct TransactionOrder {
    let name: SegmentName
    /// The clock of the last transaction, which is the greatest so far.
    private(set) var clock = HybridClock.zero
    private(set) var transactions: UInt64 = 0
    private(set) var changes: UInt64 = 0

    var hasTransactions: Bool { transactions > 0 }

    /// The sequence that the next transaction must have.
    var nextSequence: UInt64 { name.first + transactions }

    /// Checks a transaction line.
    ///
    /// - Throws: ``JSONError`` with the reason when the line is none, or not that of the next transaction.
    mutating func begin(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> TransactionHeader {
        guard !line.isBlank else { throw JSONError("the line is blank") }
        let transaction: TransactionHeader
        do throws(JSONError) {
            transaction = try TransactionHeader(line: line, writer: name.writer)
        } catch {
            throw JSONError("a transaction line is due here: \(error.reason)", offset: error.offset)
        }
        guard transaction.sequence == nextSequence else {
            throw JSONError("transaction \(transaction.sequence) stands where \(nextSequence) is due")
        }
        guard transaction.sequence <= name.last else {
            throw JSONError("transaction \(transaction.sequence) is past the range of the name")
        }
        guard transaction.clock > clock else {
            throw JSONError("clock \(transaction.clock) is not after \(clock), the one before")
        }
        guard transaction.clock.isAcceptable else {
            throw JSONError("clock \(transaction.clock) lies in the last year before 2^64")
        }
        clock = transaction.clock
        return transaction
    }

    /// Counts a transaction whose changes have all been read.
    mutating func end(_ transaction: TransactionHeader) {
        transactions += 1
        changes += UInt64(transaction.changeCount)
    }

    /// Checks the counts of the end line.
    func check(_ end: SegmentEnd, line: Int, file: String) throws(SegmentError) {
        let reason: String
        if name.first + transactions - 1 != name.last {
            reason = "the transactions end with \(name.first + transactions - 1), the name says \(name.last)"
        } else if end.last != name.last {
            reason = "the end line says \(end.last), the last transaction is \(name.last)"
        } else if end.transactions != transactions {
            reason = "the number of transactions in the end line is \(end.transactions), there are \(transactions)"
        } else if end.changes != changes {
            reason = "the number of changes in the end line is \(end.changes), there are \(changes)"
        } else {
            return
        }
        throw SegmentError(.rejected, file: file, line: line, reason: reason)
    }
}

/// Collects the transactions of other writers on which a segment's transactions depend, up to a limit.
struct SegmentDependencies {
    /// The transaction after which those are collected.
    let start: UInt64
    private(set) var list: [VerifiedSegment.Dependency] = []
    private(set) var isFull = false
    private(set) var entryCount = 0

    mutating func add(_ transaction: TransactionHeader) {
        guard transaction.sequence > start, !transaction.seen.isEmpty, !isFull else { return }
        let entries = entryCount + transaction.seen.count
        guard list.count < SegmentVerifier.dependencyLimit, entries <= SegmentVerifier.dependencyEntryLimit else {
            isFull = true
            return
        }
        entryCount = entries
        list.append(.init(sequence: transaction.sequence, seen: transaction.seen))
    }
}

/// Divides a segment into slices of whole transactions, each with the hash of its bytes, to compare the bytes that are
/// applied later with the verified ones.
struct SliceBuilder {
    private static let byteLimit: UInt64 = 4 << 20

    private(set) var slices: [VerifiedSegment.Slice] = []
    /// The number of lines after which a slice ends with its transaction.
    private let lineLimit: Int
    /// The first transaction of the current slice; nil between slices.
    private var first: UInt64?
    private var line = 0
    private var start: UInt64 = 0
    /// The number of transaction and change lines in the slice.
    private var lineCount = 0
    private var hashBefore = SHA256()

    init(lineLimit: Int) {
        self.lineLimit = lineLimit
    }

    /// Starts the first slice, at the first transaction of the segment.
    mutating func begin(_ reader: SegmentLineReader) {
        hashBefore = reader.hashSoFar
        start = reader.position
    }

    /// Starts a slice, if none is open, with a transaction line that was read.
    mutating func beginTransaction(_ transaction: TransactionHeader, _ reader: SegmentLineReader) {
        guard first == nil else { return }
        first = transaction.sequence
        line = reader.line
    }

    /// Counts the lines of a transaction whose changes have all been read.
    mutating func endTransaction(_ transaction: TransactionHeader, _ reader: SegmentLineReader) {
        lineCount += transaction.changeCount + 1
        if lineCount >= lineLimit || reader.position - start >= SliceBuilder.byteLimit {
            end(last: transaction.sequence, reader)
        }
    }

    /// Ends the current slice, if any.
    mutating func end(last: UInt64, _ reader: SegmentLineReader) {
        guard let first else { return }
        let position = reader.position
        let hash = reader.hashSoFar
        slices.append(
            VerifiedSegment.Slice(
                last: last,
                changes: lineCount - Int(last - first + 1),
                line: line,
                bounds: start..<position,
                hashBefore: hashBefore,
                digest: hash.finalize()
            )
        )
        hashBefore = hash
        self.first = nil
        start = position
        lineCount = 0
    }
}
