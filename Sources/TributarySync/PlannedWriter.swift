import TransactionLog
import TributaryChanges

/// One writer's part of the plan: its position and the segments that lie before it.
struct PlannedWriter: Sendable {
    /// A segment that contradicts what has been applied.
    struct Conflict: Sendable {
        var reason: String
        var fileName: String
        var since: UInt64
    }

    let id: UniqueID
    var position: WriterPosition
    /// By first, then last; all of them reach past the position.
    private(set) var entries: [PlannedSegment] = []
    /// For each entry that overlaps others, the run of entries that hang together.
    private(set) var clusters: [Int: Range<Int>] = [:]
    var misfits: [WriterListing.Misfit] = []
    var conflicts: [SegmentName: Conflict] = [:]
    /// Where applying had to stop.
    var gate: SegmentOutline.Gate?
    /// Files at or below the position.
    var appliedCount = 0
    /// Every entry before this index has been read.
    var firstUnknown = 0

    init(id: UniqueID, position: WriterPosition = WriterPosition()) {
        self.id = id
        self.position = position
    }

    // MARK: Entries

    mutating func replace(_ pending: [WriterListing.Pending], wall: UInt64) {
        var known: [SegmentName: PlannedSegment] = [:]
        for entry in entries { known[entry.id] = entry }
        entries = pending.filter { $0.id.last > position.sequence }.map { found in
            guard var entry = known[found.id] else {
                return PlannedSegment(id: found.id, file: found.file, found: wall)
            }
            if entry.file != found.file {
                entry.file = found.file
                entry.knowledge = .unknown
            }
            return entry
        }.sorted { $0.id < $1.id }
        findClusters()
    }

    /// The position has moved: drops what it covers and answers it.
    mutating func dropCovered() -> [PlannedSegment] {
        let covered = entries.filter { $0.id.last <= position.sequence }
        guard !covered.isEmpty else { return [] }
        entries.removeAll { $0.id.last <= position.sequence }
        findClusters()
        return covered
    }

    mutating func remove(_ id: SegmentName) {
        guard let index = index(of: id) else { return }
        entries.remove(at: index)
        findClusters()
    }

    mutating func update(_ id: SegmentName, _ body: (inout PlannedSegment) -> Void) {
        guard let index = index(of: id) else { return }
        body(&entries[index])
        firstUnknown = min(firstUnknown, index)
    }

    mutating func announce(at index: Int, _ announced: PlannedSegment.Announced) {
        entries[index].announced = announced
    }

    func index(of id: SegmentName) -> Int? {
        let index = partitionPoint { $0.id < id }
        return index < entries.count && entries[index].id == id ? index : nil
    }

    /// The entries that could hold `sequence`: the last one that begins at or before it, and what hangs together with it.
    func neighbours(of sequence: UInt64) -> Range<Int>? {
        let index = partitionPoint { $0.id.first <= sequence } - 1
        guard index >= 0 else { return nil }
        let range = clusters[index] ?? index..<(index + 1)
        return range.contains { entries[$0].holds(sequence) } ? range : nil
    }

    /// The first entry for which `before` is false; the entries are partitioned by it.
    private func partitionPoint(_ before: (PlannedSegment) -> Bool) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if before(entries[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func findClusters() {
        clusters = [:]
        firstUnknown = 0
        var start = 0
        while start < entries.count {
            var end = start + 1
            var reach = entries[start].id.last
            while end < entries.count, entries[end].id.first <= reach {
                reach = max(reach, entries[end].id.last)
                end += 1
            }
            if end - start > 1 {
                for index in start..<end { clusters[index] = start..<end }
            }
            start = end
        }
    }
}

extension PlannedSegment {
    func holds(_ sequence: UInt64) -> Bool { id.first <= sequence && sequence <= id.last }
}
