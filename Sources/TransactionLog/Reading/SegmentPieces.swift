import TributaryChanges

/// The changes of one transaction as they are read: runs, and between them what no run can hold.
struct SegmentPieces {
    private var done: [SegmentBatch.Event] = []
    private var changes: [Change] = []
    private var run: RowRun?
    private var template: LineTemplate?
    /// Changes so far.
    private(set) var count = 0

    /// Takes a line that is like one before it into a run; false when it has to be read as a whole.
    @inline(__always)
    mutating func take(
        _ line: UnsafeBufferPointer<UInt8>,
        _ templates: inout LineTemplates,
        _ scanner: inout JSONScanner
    ) -> Bool {
        if let template, let run, template.append(line, to: run, &scanner) {
            count += 1
            return true
        }
        guard let found = templates.template(of: line, &scanner) else { return false }
        let begun = RowRun(isInsert: found.isInsert, entity: found.entity, names: found.names)
        // Not every valid value fits a run.
        guard found.append(line, to: begun, &scanner) else { return false }
        endChanges()
        endRun()
        run = begun
        template = found
        count += 1
        return true
    }

    /// Takes a change; `room` is for how many there may be.
    mutating func append(_ change: Change, room: Int) {
        endRun()
        if changes.isEmpty { changes.reserveCapacity(room - count) }
        changes.append(change)
        count += 1
    }

    /// All that was taken, in order.
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
