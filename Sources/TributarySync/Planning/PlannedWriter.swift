import TransactionLog
import TributaryChanges

/// One writer's part of the plan: the segments that reach past its position.
struct PlannedWriter: Sendable {
    /// A segment that contradicts what has been applied.
    struct Conflict: Sendable {
        var reason: String
        var fileName: String
        var since: UInt64
    }

    let id: UniqueID
    private(set) var entries: [SegmentBounds: PlannedSegment] = [:]
    /// The bounds of `entries`.
    private(set) var order = SegmentOrder()
    /// Every entry before this index has been read.
    private var firstUnread = 0
    private(set) var misfits: [WriterListing.Misfit] = []
    /// Wall times at which misfits were found, by file name.
    private(set) var misfitTimes: [String: UInt64] = [:]
    /// Misfits that have not been announced.
    private(set) var newMisfits: [WriterListing.Misfit] = []
    var conflicts: [SegmentName: Conflict] = [:]
    /// The transaction before which applying had to stop.
    var unmet: SegmentOutline.UnmetDependencies?
    /// Files at or below the position.
    var appliedCount = 0

    init(id: UniqueID) {
        self.id = id
    }

    func name(_ bounds: SegmentBounds) -> SegmentName {
        SegmentName(writer: id, first: bounds.first, last: bounds.last)
    }

    // MARK: Entries

    /// Takes the whole list of files past the position; the names of those that are gone or have changed.
    mutating func replace(_ pending: [WriterListing.Pending], position: UInt64, wall: UInt64) -> [SegmentName] {
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

    /// Takes one file past the position; true when it is another one than before.
    mutating func insert(_ found: WriterListing.Pending, wall: UInt64) -> Bool {
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

    /// The position has moved: drops what it covers and returns it.
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

    /// Entries among the first `window` that have not been read, at most `limit` of them.
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

    /// How many of the first `window` entries have not been read.
    func unreadCount(window: Int) -> Int {
        order.slice(from: firstUnread, limit: max(0, window - firstUnread)).count { entries[$0]?.isUnknown ?? false }
    }

    /// Valid entries among the first `window` that overlap another valid one, each with one that it overlaps.
    func rivals(window: Int) -> [SegmentBounds: SegmentBounds] {
        order.rivals(window: window) { entries[$0]?.valid != nil }
    }

    // MARK: Misfits

    /// Takes the misfits of a listing; those that were known keep their time.
    mutating func setMisfits(_ found: [WriterListing.Misfit], wall: UInt64) {
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
