import TributaryChanges

/// Validates change lines, and keeps those that are rows where that is asked for; a line with the form of an earlier
/// line is compared with its template instead of being parsed.
struct ChangeLineCheck {
    private(set) var mayNameBlobs = false
    private var scanner = JSONScanner(depthLimit: JSONParser.logDepth)
    private var templates = LineTemplates()
    private static let blobKey = Array("\"blob\"".utf8)
    /// The beginning of every escape of a letter of "blob".
    private static let escapedLetter = Array("\\u006".utf8)

    /// Why a deletion after another change is no valid line, and what helps.
    private static let lateDeletion =
        "a 'delete' follows another change of its transaction: write all deletions before the inserts, updates, links and "
        + "unlinks, without what they take away, or in a transaction of their own"

    /// Validates the change lines of a transaction, and adds them to the batch; without one for other changes than
    /// rows.
    mutating func read(
        _ transaction: TransactionHeader,
        _ reader: SegmentLineReader,
        into batch: inout SegmentBatch?,
        file: String
    ) throws(SegmentError) {
        let announced = transaction.changeCount
        let promise = announced == 1 ? "1 change is announced" : "\(announced) changes are announced"
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
                let reason = "\(promise), the segment ends after \(index)"
                throw rejected(reason, line: reader.line + 1)
            }
            let isRow =
                batch == nil
                ? templates.covers(line, &scanner) : pieces.appendRow(line, &templates, &scanner)
            if isRow {
                mayDelete = false
                continue
            }
            guard !line.isBlank else { throw rejected("the line is blank", line: reader.line) }
            scanner.begin(line)
            let isDeletion: Bool
            do throws(JSONError) {
                isDeletion = try ChangeLine(&scanner, builds: false).isDeletion
            } catch {
                guard let fields = try? LineFields(line), fields.has("transaction") else {
                    throw rejected(error.reason, line: reader.line)
                }
                throw rejected("\(promise), only \(index) follow", line: reader.line)
            }
            guard mayDelete || !isDeletion else { throw rejected(Self.lateDeletion, line: reader.line) }
            mayDelete = isDeletion
            let isPlain = templates.learn(line, &scanner)
            // Other changes than rows can take much more memory than their lines.
            if batch != nil, !isPlain || !pieces.appendRow(line, &templates, &scanner) { batch = nil }
            // Lines that match a template have plain values, and a blob reference is an object.
            if !isPlain, !mayNameBlobs {
                mayNameBlobs = line.contains(Self.blobKey) || line.contains(Self.escapedLetter)
            }
        }
        batch?.append(&pieces)
    }
}
