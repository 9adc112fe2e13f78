package import TransactionLog
import TributaryChanges

struct PlannedWriter: Sendable {
    struct Conflict: Sendable {
        var reason: String
        var since: WallTime
    }

    /// A file past the position; a large backlog has many, and each takes 48 bytes in the order.
    struct Waiting: BoundedSegment {
        let bounds: SegmentBounds
        var file: FileIdentity
        let found: WallTime
    }

    let id: UniqueID
    private(set) var order = SegmentOrder<Waiting>()
    /// The segments that were read or announced: the next few segments of a large backlog.
    private var known: [SegmentBounds: PlannedSegment] = [:]
    /// Every entry before this index has been read.
    private var firstUnread = 0
    private(set) var unusableFiles: [WriterListing.UnusableFile] = []
    private(set) var unusableFileTimes: [String: WallTime] = [:]
    private(set) var newUnusableFiles: [WriterListing.UnusableFile] = []
    private(set) var conflicts: [SegmentFile: Conflict] = [:]
    /// Files at or below the position that were not applied as they are, and conflict copies, which wait for the position.
    private(set) var uncompared: Set<SegmentFile> = []
    private var lockedFiles: Set<SegmentFile> = []
    private var copies: [SegmentFile: FileIdentity] = [:]
    var unmet: SegmentSummary.UnmetDependencies?
    var appliedCount = 0

    init(id: UniqueID) {
        self.id = id
    }

    func name(_ bounds: SegmentBounds) -> SegmentName { SegmentName(writer: id, bounds) }

    // MARK: Entries

    private(set) subscript(bounds: SegmentBounds) -> PlannedSegment? {
        get { order[bounds].map(entry) }
        set { known[bounds] = newValue }
    }

    func slice(from index: Int = 0, limit: Int = .max) -> some Collection<PlannedSegment> {
        order.slice(from: index, limit: limit).lazy.map(entry)
    }

    private func entry(_ waiting: Waiting) -> PlannedSegment {
        known[waiting.bounds]
            ?? PlannedSegment(id: name(waiting.bounds), file: waiting.file, found: waiting.found)
    }

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

    mutating func dropCovered(through position: UInt64) -> [PlannedSegment] {
        let covered = order.removeCovered(through: position)
        firstUnread = max(0, firstUnread - covered.count)
        return covered.map { known.removeValue(forKey: $0.bounds) ?? entry($0) }
    }

    mutating func learn(_ bounds: SegmentBounds, _ knowledge: PlannedSegment.Knowledge) {
        self[bounds]?.knowledge = knowledge
        if case .unknown = knowledge { markUnread(bounds) }
    }

    var verified: [SegmentBounds] { known.filter { $0.value.valid != nil }.map(\.key) }

    var locked: [SegmentBounds] { known.filter { $0.value.isLocked }.map(\.key) }

    mutating func announce(_ bounds: SegmentBounds, _ announced: PlannedSegment.Announced) {
        self[bounds]?.announced = announced
    }

    private mutating func markUnread(_ bounds: SegmentBounds) {
        if let index = order.index(of: bounds) { firstUnread = min(firstUnread, index) }
    }

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

    func unreadCount(window: Int) -> Int {
        slice(from: firstUnread, limit: max(0, window - firstUnread)).count(where: \.isUnknown)
    }

    // MARK: Comparison

    /// Files that the position covers although they were not applied.
    mutating func compare(_ covered: [PlannedSegment]) {
        for entry in covered where entry.valid != nil || entry.isUnknown || entry.isForked {
            uncompared.insert(SegmentFile(id: entry.id))
        }
    }

    mutating func compare(_ file: SegmentFile) { uncompared.insert(file) }

    /// Each conflict copy is compared once, and again when it has changed; returns the other unusable files.
    mutating func takeCopies(_ unusableFiles: [WriterListing.UnusableFile]) -> [WriterListing.UnusableFile] {
        var found: [SegmentFile: FileIdentity] = [:]
        let rest = unusableFiles.filter { unusableFile in
            guard unusableFile.state == .forked, let identity = unusableFile.file else {
                return unusableFile.state != .forked
            }
            found[SegmentFile(id: unusableFile.id, fileName: unusableFile.fileName)] = identity
            return false
        }
        for file in copies.keys where found[file] == nil { forget(file) }
        for (file, identity) in found where copies[file] != identity { uncompared.insert(file) }
        copies = found
        return rest
    }

    mutating func keepApplied(_ there: Set<SegmentBounds>) {
        let gone = Set(conflicts.keys).union(uncompared).union(lockedFiles).filter {
            $0.hasOwnName && !there.contains($0.id.bounds)
        }
        for file in gone { forget(file) }
    }

    func conflicts(of id: SegmentName) -> [SegmentFile] { conflicts.keys.filter { $0.id == id }.sorted() }

    /// Returns false when no file of the name contradicts.
    mutating func compareAgain(_ id: SegmentName) -> Bool {
        let files = conflicts(of: id)
        for file in files {
            conflicts[file] = nil
            uncompared.insert(file)
        }
        return !files.isEmpty
    }

    mutating func compareAgain(after position: UInt64) -> [SegmentBounds] {
        for file in conflicts.keys where file.id.last > position { _ = compareAgain(file.id) }
        return known.values.filter(\.isForked).map(\.id.bounds)
    }

    var isForked: Bool {
        !conflicts.isEmpty || known.values.contains(where: \.isForked)
    }

    mutating func forget(_ file: SegmentFile) {
        conflicts[file] = nil
        uncompared.remove(file)
        lockedFiles.remove(file)
    }

    mutating func compareLockedAgain() {
        uncompared.formUnion(lockedFiles)
        lockedFiles = []
    }

    mutating func compared(_ file: SegmentFile, _ reason: String?, isLocked: Bool, wall: WallTime) {
        uncompared.remove(file)
        if isLocked { lockedFiles.insert(file) } else { lockedFiles.remove(file) }
        conflicts[file] = reason.map { Conflict(reason: $0, since: conflicts[file]?.since ?? wall) }
    }

    // MARK: Unusable files

    mutating func setUnusableFiles(_ found: [WriterListing.UnusableFile], wall: WallTime) {
        guard found != unusableFiles else { return }
        let former = unusableFileTimes
        newUnusableFiles += found.filter { former[$0.fileName] == nil }
        unusableFiles = found
        unusableFileTimes = [:]
        for unusableFile in found { unusableFileTimes[unusableFile.fileName] = former[unusableFile.fileName] ?? wall }
    }

    mutating func drainNewUnusableFiles() -> [WriterListing.UnusableFile] {
        defer { newUnusableFiles = [] }
        return newUnusableFiles
    }
}

struct PlannedSegment: Sendable {
    /// It is indirect to keep the entries of a partly filled table small.
    indirect enum Knowledge: Sendable {
        case unknown
        case valid(SegmentSummary)
        case incomplete(reason: String, line: Int?, since: WallTime)
        case unreadable(reason: String, retry: WallTime)
        case bad(SegmentState, reason: String, line: Int?)
    }

    struct Announced: Sendable {
        var state: SegmentState
        var since: WallTime
    }

    let id: SegmentName
    var file: FileIdentity
    var knowledge = Knowledge.unknown
    let found: WallTime
    var announced: Announced?

    var pending: WriterListing.Pending { WriterListing.Pending(id: id, file: file) }

    mutating func update(_ file: FileIdentity) {
        self.file = file
        knowledge = .unknown
    }

    var since: WallTime { announced?.since ?? found }

    var valid: SegmentSummary? { if case .valid(let segment) = knowledge { segment } else { nil } }

    var isUnknown: Bool { if case .unknown = knowledge { true } else { false } }

    var isForked: Bool { if case .bad(.forked, _, _) = knowledge { true } else { false } }

    var isLocked: Bool { if case .bad(.held, _, _) = knowledge { true } else { false } }

    func isUnread(wall: WallTime) -> Bool {
        if case .unreadable(_, let retry) = knowledge { return retry <= wall }
        return isUnknown
    }

    /// Estimated from the size until the segment has been read.
    var weight: Int {
        valid.map { $0.changes.addingSaturating($0.transactions) }
            ?? Int(clamping: file.size / PlannedSegment.guessedChangeSize) + 1
    }

    private static let guessedChangeSize: Int64 = 128
}

package struct WriterPosition: Hashable, Sendable {
    package struct Partial: Hashable, Sendable {
        package var bounds: SegmentBounds
        package var sha256: String
    }

    package var sequence: UInt64 = 0
    package var partial: Partial?

    /// None of its transactions is applied, this segment itself is applied in part, or it was compared when it was read.
    func isCompared(_ bounds: SegmentBounds, sha256: String, through compared: UInt64) -> Bool {
        bounds.first > sequence || compared >= sequence || partial == Partial(bounds: bounds, sha256: sha256)
    }
}

/// The position of each writer, assuming that all planned segments are applied.
struct SupposedPositions {
    let known: [UniqueID: WriterPosition]
    private(set) var supposed: [UniqueID: WriterPosition] = [:]

    subscript(writer: UniqueID) -> WriterPosition {
        get { supposed[writer] ?? known[writer] ?? WriterPosition() }
        set { supposed[writer] = newValue }
    }
}
