import TransactionLog
import TributaryChanges

/// The plan for one writer: the segments that reach past its position.
struct PlannedWriter: Sendable {
    /// A segment that contradicts the applied segments.
    struct Conflict: Sendable {
        var reason: String
        var since: WallTime
    }

    /// A file past the position; a large backlog is many of these, each of which takes 48 bytes in the order.
    struct Waiting: BoundedSegment {
        let bounds: SegmentBounds
        var file: FileIdentity
        let found: WallTime
    }

    let id: UniqueID
    private(set) var order = SegmentOrder<Waiting>()
    /// Those that have been read or announced, which are the ones whose turn is near.
    private var known: [SegmentBounds: PlannedSegment] = [:]
    /// Every entry before this index has been read.
    private var firstUnread = 0
    private(set) var misfits: [WriterListing.Misfit] = []
    /// The wall times at which misfits were found, by file name.
    private(set) var misfitTimes: [String: WallTime] = [:]
    /// The misfits that have not been announced.
    private(set) var newMisfits: [WriterListing.Misfit] = []
    var conflicts: [SegmentName: Conflict] = [:]
    /// The transaction whose unmet dependencies stopped the last import.
    var unmet: SegmentOutline.UnmetDependencies?
    /// The number of files at or below the position.
    var appliedCount = 0

    init(id: UniqueID) {
        self.id = id
    }

    func name(_ bounds: SegmentBounds) -> SegmentName {
        SegmentName(writer: id, first: bounds.first, last: bounds.last)
    }

    // MARK: Entries

    private(set) subscript(bounds: SegmentBounds) -> PlannedSegment? {
        get { order[bounds].map(entry) }
        set { known[bounds] = newValue }
    }

    /// The first `limit` entries from the given one on, in order.
    func slice(from index: Int = 0, limit: Int = .max) -> some Collection<PlannedSegment> {
        order.slice(from: index, limit: limit).lazy.map(entry)
    }

    private func entry(_ waiting: Waiting) -> PlannedSegment {
        known[waiting.bounds]
            ?? PlannedSegment(id: name(waiting.bounds), file: waiting.file, found: waiting.found)
    }

    /// Replaces the files past the position; returns the names of removed and changed files.
    mutating func replace(_ pending: [WriterListing.Pending], wall: WallTime) -> [SegmentName] {
        let former = order
        order.replace(
            with: pending.map {
                let bounds = $0.id.bounds
                return Waiting(bounds: bounds, file: $0.file, found: former[bounds]?.found ?? wall)
            }
        )
        firstUnread = 0
        return former.slice().filter { order[$0.bounds]?.file != $0.file }.map { lost in
            if let file = order[lost.bounds]?.file {
                known[lost.bounds]?.update(file)
            } else {
                known[lost.bounds] = nil
            }
            return name(lost.bounds)
        }
    }

    /// Inserts one file past the position; returns true when it replaces another file.
    mutating func insert(_ found: WriterListing.Pending, wall: WallTime) -> Bool {
        let bounds = found.id.bounds
        guard let former = order[bounds]?.file else {
            firstUnread = min(firstUnread, order.insert(Waiting(bounds: bounds, file: found.file, found: wall)))
            return false
        }
        guard former != found.file else { return false }
        order[bounds]?.file = found.file
        known[bounds]?.update(found.file)
        markUnread(bounds)
        return true
    }

    mutating func remove(_ bounds: SegmentBounds) {
        guard let index = order.remove(bounds) else { return }
        known[bounds] = nil
        if index < firstUnread { firstUnread -= 1 }
    }

    /// Removes and returns the segments that the new position covers.
    mutating func dropCovered(through position: UInt64) -> [PlannedSegment] {
        let covered = order.removeCovered(through: position)
        firstUnread = max(0, firstUnread - covered.count)
        return covered.map { known.removeValue(forKey: $0.bounds) ?? entry($0) }
    }

    mutating func learn(_ bounds: SegmentBounds, _ knowledge: PlannedSegment.Knowledge) {
        self[bounds]?.knowledge = knowledge
        if case .unknown = knowledge { markUnread(bounds) }
    }

    mutating func announce(_ bounds: SegmentBounds, _ announced: PlannedSegment.Announced) {
        self[bounds]?.announced = announced
    }

    private mutating func markUnread(_ bounds: SegmentBounds) {
        if let index = order.index(of: bounds) { firstUnread = min(firstUnread, index) }
    }

    /// The unread entries among the first `window`, at most `limit` of them.
    mutating func unread(window: Int, limit: Int) -> [PlannedSegment] {
        var found: [PlannedSegment] = []
        for entry in slice(from: firstUnread, limit: max(0, window - firstUnread)) {
            if entry.isUnknown {
                found.append(entry)
                guard found.count < limit else { break }
            } else if found.isEmpty {
                firstUnread += 1
            }
        }
        return found
    }

    /// The number of unread entries among the first `window`.
    func unreadCount(window: Int) -> Int {
        slice(from: firstUnread, limit: max(0, window - firstUnread)).count(where: \.isUnknown)
    }

    // MARK: Misfits

    /// Replaces the misfits; known misfits keep their times.
    mutating func setMisfits(_ found: [WriterListing.Misfit], wall: WallTime) {
        guard found != misfits else { return }
        let former = misfitTimes
        newMisfits += found.filter { former[$0.fileName] == nil }
        misfits = found
        misfitTimes = [:]
        for misfit in found { misfitTimes[misfit.fileName] = former[misfit.fileName] ?? wall }
    }

    mutating func drainNewMisfits() -> [WriterListing.Misfit] {
        defer { newMisfits = [] }
        return newMisfits
    }
}
