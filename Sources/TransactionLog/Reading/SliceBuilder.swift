import TributaryChanges

/// Divides a segment into slices of whole transactions, each with the hash of its bytes, so that the bytes that are applied
/// later can be compared with those that were verified.
struct SliceBuilder {
    /// A slice ends with the transaction that brings it to 4 MiB.
    private static let byteLimit: UInt64 = 4 << 20

    private(set) var slices: [VerifiedSegment.Slice] = []
    /// A slice ends with the transaction that brings it to so many lines.
    private let lineLimit: Int
    /// The first transaction of the slice that has begun; nil between slices.
    private var first: UInt64?
    /// The number of the line that has this transaction.
    private var line = 0
    /// The offset at which the slice begins.
    private var start: UInt64 = 0
    /// Lines of transactions and changes in the slice.
    private var lineCount = 0
    private var hashBefore = SHA256()

    init(lineLimit: Int) {
        self.lineLimit = lineLimit
    }

    /// The reader has come to the first transaction.
    mutating func begin(_ reader: SegmentLineReader) {
        hashBefore = reader.hashSoFar
        start = reader.position
    }

    /// The reader has read a transaction line.
    mutating func beginTransaction(_ transaction: TransactionHeader, _ reader: SegmentLineReader) {
        guard first == nil else { return }
        first = transaction.sequence
        line = reader.line
    }

    /// The reader has read all changes of a transaction.
    mutating func endTransaction(_ transaction: TransactionHeader, _ reader: SegmentLineReader) {
        lineCount += transaction.changeCount + 1
        if lineCount >= lineLimit || reader.position - start >= SliceBuilder.byteLimit {
            end(last: transaction.sequence, reader)
        }
    }

    /// Ends the slice that has begun, if any.
    mutating func end(last: UInt64, _ reader: SegmentLineReader) {
        guard let first else { return }
        let position = reader.position
        let hash = reader.hashSoFar
        slices.append(
            VerifiedSegment.Slice(
                first: first,
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
