package import TributaryChanges

/// Verifies a whole segment before any of it is applied; reads the bytes once, with a bounded buffer.
package struct SegmentVerifier: Sendable {
    /// The greatest number of transactions with `seen` that are kept for planning.
    package static let dependencyLimit = 65_536
    /// The greatest number of entries of `seen` altogether, 40 bytes each.
    static let dependencyEntryLimit = 262_144

    package var sliceChanges: Int
    /// Longer files are not kept in memory; only files with nothing but rows are.
    package var keptBytes: UInt64

    package init(sliceChanges: Int = 20_000, keptBytes: UInt64 = 0) {
        self.sliceChanges = max(1, sliceChanges)
        self.keptBytes = keptBytes
    }

    /// Throws `damaged` for a wrong hash; `rejected` when the hash matches, but the segment is not valid.
    package func verify(
        _ source: some SegmentBytes,
        name: SegmentName,
        dependenciesAfter sequence: UInt64 = 0
    ) throws(SegmentError) -> VerifiedSegment {
        let tail: SegmentTail
        do throws(SegmentError) {
            tail = try SegmentTail.read(source)
        } catch {
            throw error.with(writer: name.writer)
        }
        var content = SegmentContent(
            name: name,
            file: source.file,
            order: TransactionOrder(name: name),
            dependencies: SegmentDependencies(start: sequence),
            slices: SliceBuilder(lineLimit: sliceChanges),
            batch: tail.fileSize <= keptBytes ? SegmentBatch() : nil
        )
        try tail.verify(source, of: name.writer) { reader throws(SegmentError) in
            try content.read(reader)
            try content.order.check(tail.end, line: reader.line + 1, file: source.file)
        }
        return try content.verified(tail)
    }
}

/// A segment with verified bytes, and the hashes that prove later that the bytes are unchanged.
package struct VerifiedSegment: Sendable {
    package struct Slice: Sendable {
        package let last: UInt64
        package let changes: Int
        let line: Int
        let bounds: Range<UInt64>
        let hashBefore: SHA256
        let digest: SHA256.Digest
    }

    package struct Dependency: Hashable, Sendable {
        package let sequence: UInt64
        package let seen: [UniqueID: UInt64]

        package init(sequence: UInt64, seen: [UniqueID: UInt64]) {
            self.sequence = sequence
            self.seen = seen
        }
    }

    package let name: SegmentName
    package let file: String
    package let header: SegmentHeader
    package let end: SegmentEnd
    package let fileSize: UInt64
    package let greatestClock: HybridClock
    /// The first transactions with entries in `seen`, up to a limit; the import looks at the entries again.
    package let dependencies: [Dependency]
    package let slices: [Slice]
    /// Whether a change may reference a blob; when it is false, no change does.
    package let mayNameBlobs: Bool
    /// One batch for each slice; empty when the verifier does not keep the content.
    package var batches: [SegmentBatch] = []
}

private struct SegmentContent {
    private struct Announcement: CustomStringConvertible {
        let sequence: UInt64
        let line: Int
        let count: Int

        init(_ transaction: TransactionHeader, line: Int) {
            sequence = transaction.sequence
            self.line = line
            count = transaction.changeCount
        }

        var description: String {
            "transaction \(sequence) in line \(line) announces \(count) \(count == 1 ? "change" : "changes")"
        }
    }

    private static let blobKey = Array("\"blob\"".utf8)
    /// The beginning of every escape of a letter of "blob".
    private static let escapedLetter = Array("\\u006".utf8)

    private static let lateDeletion =
        "a 'delete' follows another change of its transaction: write all deletions before the inserts, updates, links and "
        + "unlinks, without what they take away, or in a transaction of their own"

    let name: SegmentName
    let file: String
    var header: SegmentHeader?
    var order: TransactionOrder
    var parser = ChangeLineParser()
    var mayNameBlobs = false
    var dependencies: SegmentDependencies
    var slices: SliceBuilder
    var batches: [SegmentBatch] = []
    /// Nil when content is not kept, or has other changes than rows.
    var batch: SegmentBatch?

    mutating func read(_ reader: SegmentLineReader) throws(SegmentError) {
        guard let line = try reader.next() else {
            throw SegmentError(.rejected, file: file, line: 1, reason: "the header before the end line is missing")
        }
        header = try reader.parse { () throws(JSONError) in
            let header = try SegmentHeader(line: line)
            try header.check(against: name)
            return header
        }
        slices.begin(reader)
        var last: Announcement?
        while let line = try reader.next() {
            let transaction: TransactionHeader
            do throws(JSONError) {
                transaction = try order.begin(line)
            } catch {
                var (sequence, reason) = (order.nextSequence, error.reason)
                if let last, let fields = try? LineFields(line),
                    ParsedChange.Verb.allCases.contains(where: { fields.has($0.rawValue) })
                {
                    (sequence, reason) = (last.sequence, "\(last), and a further change follows")
                }
                throw SegmentError(.rejected, file: file, line: reader.line, sequence: sequence, reason: reason)
            }
            let announcement = Announcement(transaction, line: reader.line)
            last = announcement
            dependencies.add(transaction)
            slices.beginTransaction(transaction, reader)
            batch?.events.append(.begin(transaction))
            try readChanges(of: announcement, reader)
            batch?.events.append(.end)
            order.end(transaction)
            slices.endTransaction(transaction, reader)
            endBatch()
        }
        slices.end(last: order.nextSequence &- 1, reader)
        endBatch()
    }

    /// A line with the form of an earlier line is compared with its template, and not parsed.
    private mutating func readChanges(
        of transaction: Announcement,
        _ reader: SegmentLineReader
    ) throws(SegmentError) {
        let file = file
        let announced = transaction.count
        func rejected(_ reason: String, line: Int) -> SegmentError {
            SegmentError(.rejected, file: file, line: line, sequence: transaction.sequence, reason: reason)
        }
        let batchLimit = 2_500
        var pieces = SegmentPieces(room: min(announced, batchLimit))
        var mayDelete = true
        for index in 0..<announced {
            if batch != nil, pieces.count == pieces.room {
                batch?.append(&pieces)
                pieces = SegmentPieces(room: min(announced - index, batchLimit))
            }
            guard let line = try reader.next() else {
                throw rejected("\(transaction), and the segment ends after \(index)", line: reader.line + 1)
            }
            let isRow = batch == nil ? parser.covers(line) : pieces.appendRow(line, &parser)
            if isRow {
                mayDelete = false
                continue
            }
            guard !line.isBlank else { throw rejected("the line is blank", line: reader.line) }
            let isDeletion: Bool
            do throws(JSONError) {
                isDeletion = try parser.validate(line)
            } catch {
                guard let fields = try? LineFields(line), fields.has("transaction") else {
                    throw rejected(error.reason, line: reader.line)
                }
                throw rejected("\(transaction), and the next transaction follows after \(index)", line: reader.line)
            }
            guard mayDelete || !isDeletion else { throw rejected(Self.lateDeletion, line: reader.line) }
            mayDelete = isDeletion
            let isPlain = parser.learn(line)
            // Changes that are not rows can take much more memory than their lines.
            if batch != nil, !isPlain || !pieces.appendRow(line, &parser) { batch = nil }
            // Lines that match a template have plain values, and a blob reference is an object.
            if !isPlain, !mayNameBlobs {
                mayNameBlobs = line.contains(Self.blobKey) || line.contains(Self.escapedLetter)
            }
        }
        batch?.append(&pieces)
    }

    private mutating func endBatch() {
        guard slices.slices.count > batches.count, var ended = batch else { return }
        ended.endsSlice = true
        batches.append(ended)
        batch = SegmentBatch()
    }

    func verified(_ tail: SegmentTail) throws(SegmentError) -> VerifiedSegment {
        guard let header, order.hasTransactions else {
            throw SegmentError(.rejected, file: file, line: 1, reason: "it has no transactions")
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
            mayNameBlobs: mayNameBlobs,
            batches: batch == nil ? [] : batches
        )
    }
}

private struct TransactionOrder {
    let name: SegmentName
    private(set) var clock = HybridClock.zero
    private(set) var transactions: UInt64 = 0
    private(set) var changes: UInt64 = 0

    var hasTransactions: Bool { transactions > 0 }

    var nextSequence: UInt64 { name.first + transactions }

    mutating func begin(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> TransactionHeader {
        guard !line.isBlank else { throw JSONError("the line is blank") }
        let transaction: TransactionHeader
        do throws(JSONError) {
            transaction = try TransactionHeader(line: line, writer: name.writer)
        } catch {
            throw JSONError("a transaction line is expected here: \(error.reason)", offset: error.offset)
        }
        guard transaction.sequence == nextSequence else {
            throw JSONError(
                "transaction \(transaction.sequence) was found where transaction \(nextSequence) is expected"
            )
        }
        guard transaction.sequence <= name.last else {
            throw JSONError("transaction \(transaction.sequence) is past the range of the name")
        }
        guard transaction.clock > clock else {
            throw JSONError("clock \(transaction.clock) is not after \(clock), the clock of the transaction before")
        }
        guard transaction.clock.isAcceptable else {
            throw JSONError("clock \(transaction.clock) lies in the last year before 2^64")
        }
        clock = transaction.clock
        return transaction
    }

    mutating func end(_ transaction: TransactionHeader) {
        transactions += 1
        changes += UInt64(transaction.changeCount)
    }

    func check(_ end: SegmentEnd, line: Int, file: String) throws(SegmentError) {
        let reason: String
        if name.first + transactions - 1 != name.last {
            reason =
                "the transactions end with \(name.first + transactions - 1), the file's name ends with \(name.last)"
        } else if end.last != name.last {
            reason = "the end line names \(end.last) as the last transaction, which is \(name.last)"
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

private struct SegmentDependencies {
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

/// Divides a segment into slices; their hashes later prove that the applied bytes are the verified bytes.
private struct SliceBuilder {
    private static let byteLimit: UInt64 = 4 << 20

    private(set) var slices: [VerifiedSegment.Slice] = []
    private let lineLimit: Int
    /// Nil between slices.
    private var first: UInt64?
    private var line = 0
    private var start: UInt64 = 0
    private var lineCount = 0
    private var hashBefore = SHA256()

    init(lineLimit: Int) {
        self.lineLimit = lineLimit
    }

    mutating func begin(_ reader: SegmentLineReader) {
        hashBefore = reader.hashSoFar
        start = reader.position
    }

    mutating func beginTransaction(_ transaction: TransactionHeader, _ reader: SegmentLineReader) {
        guard first == nil else { return }
        first = transaction.sequence
        line = reader.line
    }

    mutating func endTransaction(_ transaction: TransactionHeader, _ reader: SegmentLineReader) {
        lineCount += transaction.changeCount + 1
        if lineCount >= lineLimit || reader.position - start >= SliceBuilder.byteLimit {
            end(last: transaction.sequence, reader)
        }
    }

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
