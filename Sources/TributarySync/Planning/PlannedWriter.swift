import TransactionLog
import TributaryChanges

/// The plan for one writer: the segments that reach past its position.
struct PlannedWriter: Sendable {
    /// A segment that contradicts the applied segments.
    struct Conflict: Sendable {
        var reason: String
        var since: WallTime
    }

    let id: UniqueID
    private(set) var entries: [SegmentBounds: PlannedSegment] = [:]
    /// The bounds of `entries`.
    private(set) var order = SegmentOrder()
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

    /// Replaces the files past the position; returns the names of removed and changed files.
    mutating func replace(_ pending: [WriterListing.Pending], position: UInt64, wall: WallTime) -> [SegmentName] {
        let former = entries
        var lost: [SegmentName] = []
        entries = Dictionary(minimumCapacity: pending.count)
        for found in pending where found.id.last > position {
            var entry = former[found.id.bounds] ?? PlannedSegment(id: found.id, file: found.file, found: wall)
            if entry.update(found.file) { lost.append(found.id) }
            entries[found.id.bounds] = entry
        }
        for (bounds, _) in former where entries[bounds] == nil { lost.append(name(bounds)) }
        order.replace(with: Array(entries.keys))
        firstUnread = 0
        return lost
    }

    /// Inserts one file past the position; returns true when it replaces another file.
    mutating func insert(_ found: WriterListing.Pending, wall: WallTime) -> Bool {
        let bounds = found.id.bounds
        guard entries[bounds] != nil else {
            entries[bounds] = PlannedSegment(id: found.id, file: found.file, found: wall)
            firstUnread = min(firstUnread, order.insert(bounds))
            return false
        }
        guard entries[bounds]?.update(found.file) == true else { return false }
        markUnread(bounds)
        return true
    }

    mutating func remove(_ bounds: SegmentBounds) {
        guard entries.removeValue(forKey: bounds) != nil, let index = order.remove(bounds) else { return }
        if index < firstUnread { firstUnread -= 1 }
    }

    /// Removes and returns the segments that the new position covers.
    mutating func dropCovered(through position: UInt64) -> [PlannedSegment] {
        let covered = order.removeCovered(through: position)
        firstUnread = max(0, firstUnread - covered.count)
        return covered.compactMap { entries.removeValue(forKey: $0) }
    }

    mutating func learn(_ bounds: SegmentBounds, _ knowledge: PlannedSegment.Knowledge) {
        entries[bounds]?.knowledge = knowledge
        if case .unknown = knowledge { markUnread(bounds) }
    }

    mutating func announce(_ bounds: SegmentBounds, _ announced: PlannedSegment.Announced) {
        entries[bounds]?.announced = announced
    }

    private mutating func markUnread(_ bounds: SegmentBounds) {
        if let index = order.index(of: bounds) { firstUnread = min(firstUnread, index) }
    }

    /// The unread entries among the first `window`, at most `limit` of them.
    mutating func unread(window: Int, limit: Int) -> [PlannedSegment] {
        var found: [PlannedSegment] = []
        for bounds in order.slice(from: firstUnread, limit: max(0, window - firstUnread)) {
            if let entry = entries[bounds], entry.isUnknown {
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
        order.slice(from: firstUnread, limit: max(0, window - firstUnread)).count { entries[$0]?.isUnknown ?? false }
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
