package import TributaryChanges

package struct SegmentBatch: Sendable {
    package enum Event: Hashable, Sendable {
        case begin(TransactionHeader)
        case changes([Change])
        case rows(RowRun)
        case end
    }

    package var events: [Event] = []
    package var changeCount = 0
    /// The size of the events in bytes: rows and lines as stored, other events ``eventBytes``.
    package var byteCount = 0
    /// The least size in bytes of an event or a change that is not a row.
    package static let eventBytes = 200
    /// Whether a slice ends with this batch; only then do its bytes match the verified bytes, and may be committed.
    package var endsSlice = false

    mutating func append(_ pieces: inout SegmentPieces) {
        changeCount += pieces.count
        let ended = pieces.events()
        for case .rows(let run) in ended { byteCount += run.byteCount }
        events += ended
    }
}

/// The changes of one transaction while they are read: runs, and between them changes that do not fit into a run.
struct SegmentPieces {
    private var done: [SegmentBatch.Event] = []
    private var changes: [Change] = []
    private var run: RowRun?
    private var template: LineTemplate?
    private(set) var count = 0
    let room: Int

    init(room: Int) { self.room = room }

    @inline(__always)
    mutating func appendRow(_ line: UnsafeBufferPointer<UInt8>, _ parser: inout ChangeLineParser) -> Bool {
        if let template, let run, parser.append(line, matching: template, to: run) {
            count += 1
            return true
        }
        guard let found = parser.template(of: line) else { return false }
        // Inserts and updates may alternate, so that each run has only one row: the capacity starts small.
        let capacity = min(room - count, 15)
        let begun = RowRun(isInsert: found.isInsert, entity: found.entity, names: found.names, capacity: capacity)
        // Some valid values do not fit into a run.
        guard parser.append(line, matching: found, to: begun) else { return false }
        endChanges()
        endRun()
        run = begun
        template = found
        count += 1
        return true
    }

    mutating func append(_ change: Change) {
        endRun()
        if changes.isEmpty { changes.reserveCapacity(room - count) }
        changes.append(change)
        count += 1
    }

    mutating func events() -> [SegmentBatch.Event] {
        endChanges()
        endRun()
        return done
    }

    private mutating func endRun() {
        if let run {
            // Many runs wait to be applied, and each has grown to the next power of two.
            run.trim()
            done.append(.rows(run))
        }
        run = nil
        template = nil
    }

    private mutating func endChanges() {
        if !changes.isEmpty { done.append(.changes(changes)) }
        changes = []
    }
}
