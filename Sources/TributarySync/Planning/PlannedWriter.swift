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
    /// What is known about those that have been read or announced, which are the ones whose turn is near.
    private var facts: [SegmentBounds: PlannedSegment.Facts] = [:]
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

    subscript(bounds: SegmentBounds) -> PlannedSegment? { order[bounds].map(entry) }

    /// The first `limit` entries from the given one on, in order.
    func slice(from index: Int = 0, limit: Int = .max) -> some Collection<PlannedSegment> {
        order.slice(from: index, limit: limit).lazy.map(entry)
    }

    private func entry(_ waiting: Waiting) -> PlannedSegment {
        PlannedSegment(id: name(waiting.bounds), waiting, facts[waiting.bounds])
    }

    /// Replaces the files past the position; returns the names of removed and changed files.
    mutating func replace(_ pending: [WriterListing.Pending], position: UInt64, wall: WallTime) -> [SegmentName] {
        let former = order
        order.replace(
            with: pending.filter { $0.id.last > position }.map {
                let bounds = $0.id.bounds
                return Waiting(bounds: bounds, file: $0.file, found: former[bounds]?.found ?? wall)
            }
        )
        firstUnread = 0
        return former.slice().filter { order[$0.bounds]?.file != $0.file }.map { lost in
            if order[lost.bounds] == nil { facts[lost.bounds] = nil } else { facts[lost.bounds]?.knowledge = .unknown }
            return name(lost.bounds)
        }
    }

    /// Inserts one file past the position; returns true when it replaces another file.
    mutating func insert(_ found: WriterListing.Pending, wall: WallTime) -> Bool {
        let bounds = found.id.bounds
        guard let known = order[bounds]?.file else {
            firstUnread = min(firstUnread, order.insert(Waiting(bounds: bounds, file: found.file, found: wall)))
            return false
        }
        guard known != found.file else { return false }
        order[bounds]?.file = found.file
        learn(bounds, .unknown)
        return true
    }

    mutating func remove(_ bounds: SegmentBounds) {
        guard let index = order.remove(bounds) else { return }
        facts[bounds] = nil
        if index < firstUnread { firstUnread -= 1 }
    }

    /// Removes and returns the segments that the new position covers.
    mutating func dropCovered(through position: UInt64) -> [PlannedSegment] {
        let covered = order.removeCovered(through: position)
        firstUnread = max(0, firstUnread - covered.count)
        return covered.map { PlannedSegment(id: name($0.bounds), $0, facts.removeValue(forKey: $0.bounds)) }
    }

    mutating func learn(_ bounds: SegmentBounds, _ knowledge: PlannedSegment.Knowledge) {
        guard let index = order.index(of: bounds) else { return }
        guard case .unknown = knowledge else { return facts[bounds, default: .init()].knowledge = knowledge }
        facts[bounds]?.knowledge = .unknown
        firstUnread = min(firstUnread, index)
    }

    mutating func announce(_ bounds: SegmentBounds, _ announced: PlannedSegment.Announced) {
        if order.index(of: bounds) != nil { facts[bounds, default: .init()].announced = announced }
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
