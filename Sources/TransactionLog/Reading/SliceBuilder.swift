import TributaryChanges

/// Divides a segment into slices of whole transactions, each with the hash of its bytes, to compare the bytes that are
/// applied later with the verified ones.
struct SliceBuilder {
    /// The number of bytes after which a slice ends with its transaction: 4 MiB.
    private static let byteLimit: UInt64 = 4 << 20

    private(set) var slices: [VerifiedSegment.Slice] = []
    /// The number of lines after which a slice ends with its transaction.
    private let lineLimit: Int
    /// The first transaction of the current slice; nil between slices.
    private var first: UInt64?
    /// The line number of this transaction.
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
