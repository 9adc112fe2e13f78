import TransactionLog

/// A writer's segments, ordered by first and last sequence; each operation costs the logarithm of their number.
///
/// An insertion or removal out of order also moves each later element; a removal at the front moves nothing.
struct SegmentOrder<Segment: BoundedSegment>: Sendable {
    private var list: [Segment] = []
    /// For each element, the greatest `last` up to it, which finds overlaps without visiting preceding elements.
    private var reaches: [UInt64] = []
    private var start = 0

    var count: Int { list.count - start }

    /// Setting nil does not remove a segment.
    subscript(bounds: SegmentBounds) -> Segment? {
        get { index(of: bounds).map { list[start + $0] } }
        set { if let newValue, let index = index(of: bounds) { list[start + index] = newValue } }
    }

    func slice(from index: Int = 0, limit: Int = .max) -> ArraySlice<Segment> {
        list[min(start + index, list.count)...].prefix(limit)
    }

    mutating func replace(with segments: consuming [Segment]) {
        segments.sort { $0.bounds < $1.bounds }
        for index in segments.indices.dropFirst().reversed() where segments[index].bounds == segments[index - 1].bounds
        {
            segments.remove(at: index)
        }
        list = segments
        start = 0
        reaches = []
        reaches.reserveCapacity(list.count)
        var reach: UInt64 = 0
        for segment in list {
            reach = max(reach, segment.bounds.last)
            reaches.append(reach)
        }
    }

    @discardableResult
    mutating func insert(_ segment: Segment) -> Int {
        let bounds = segment.bounds
        let place = partitionPoint { $0 < bounds }
        list.insert(segment, at: place)
        reaches.insert(place > start ? max(reaches[place - 1], bounds.last) : bounds.last, at: place)
        for index in (place + 1)..<max(place + 1, list.count) {
            guard reaches[index] < bounds.last else { break }
            reaches[index] = bounds.last
        }
        return place - start
    }

    @discardableResult
    mutating func remove(_ bounds: SegmentBounds) -> Int? {
        guard let index = index(of: bounds) else { return nil }
        if index == 0 {
            start += 1
            trim()
        } else {
            list.remove(at: start + index)
            reaches.remove(at: start + index)
        }
        let place = start + index
        var reach = place > start ? reaches[place - 1] : 0
        for place in place..<list.count {
            reach = max(reach, list[place].bounds.last)
            guard reaches[place] != reach else { break }
            reaches[place] = reach
        }
        return index
    }

    mutating func removeCovered(through sequence: UInt64) -> [Segment] {
        let first = start
        while start < list.count, list[start].bounds.last <= sequence { start += 1 }
        var covered = Array(list[first..<start])
        // These elements lie within an element at the front that reaches further. The reaches of the other elements do
        // not change: the covered elements end before any of them.
        let end = partitionPoint { $0.first <= sequence }
        for place in (start..<end).reversed() where list[place].bounds.last <= sequence {
            covered.append(list.remove(at: place))
            reaches.remove(at: place)
        }
        trim()
        return covered
    }

    /// Frees the removed elements once they are the greater part; O(1) for each.
    private mutating func trim() {
        guard start > 64, start * 2 > list.count else { return }
        // The rest is copied, because an array keeps the capacity for removed elements.
        (list, reaches) = (Array(list[start...]), Array(reaches[start...]))
        start = 0
    }

    func index(of bounds: SegmentBounds) -> Int? {
        let place = partitionPoint { $0 < bounds }
        return place < list.count && list[place].bounds == bounds ? place - start : nil
    }

    func holders(of sequence: UInt64) -> [SegmentBounds] {
        overlapping(SegmentBounds(first: sequence, last: sequence))
    }

    func overlapping(_ bounds: SegmentBounds) -> [SegmentBounds] {
        var place = partitionPoint { $0.first <= bounds.last }
        var found: [SegmentBounds] = []
        while place > start, reaches[place - 1] >= bounds.first {
            place -= 1
            if list[place].bounds.last >= bounds.first { found.append(list[place].bounds) }
        }
        return found.reversed()
    }

    private func partitionPoint(_ before: (SegmentBounds) -> Bool) -> Int {
        var low = start
        var high = list.count
        while low < high {
            let middle = low + (high - low) / 2
            if before(list[middle].bounds) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

protocol BoundedSegment: Sendable {
    var bounds: SegmentBounds { get }
}
