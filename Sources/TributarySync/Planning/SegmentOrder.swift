/// The bounds of a writer's segments, ordered by first and last sequence and searched by sequence.
///
/// An operation costs the logarithm of their number. An insertion or removal out of order also moves 24 bytes for each
/// later element; removing elements at the front, which are applied first, moves nothing.
struct SegmentOrder: Sendable {
    private var list: [SegmentBounds] = []
    /// For each element, the greatest `last` up to it, which finds overlaps without visiting preceding elements.
    private var reaches: [UInt64] = []
    /// The elements before this index are removed.
    private var start = 0

    var count: Int { list.count - start }

    /// The first `limit` bounds from the given one on.
    func slice(from index: Int = 0, limit: Int = .max) -> ArraySlice<SegmentBounds> {
        list[min(start + index, list.count)...].prefix(limit)
    }

    mutating func replace(with bounds: [SegmentBounds]) {
        list = bounds.sorted()
        start = 0
        reaches = []
        reaches.reserveCapacity(list.count)
        var reach: UInt64 = 0
        for bounds in list {
            reach = max(reach, bounds.last)
            reaches.append(reach)
        }
    }

    @discardableResult
    mutating func insert(_ bounds: SegmentBounds) -> Int {
        let place = partitionPoint { $0 < bounds }
        list.insert(bounds, at: place)
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
            reach = max(reach, list[place].last)
            guard reaches[place] != reach else { break }
            reaches[place] = reach
        }
        return index
    }

    /// Removes and returns the bounds that end at or before `sequence`.
    mutating func removeCovered(through sequence: UInt64) -> [SegmentBounds] {
        let first = start
        while start < list.count, list[start].last <= sequence { start += 1 }
        var covered = Array(list[first..<start])
        // These bounds lie within a bound at the front that reaches further. The reaches of the other elements do not
        // change: the covered bounds end before any of them.
        let end = partitionPoint { $0.first <= sequence }
        for place in (start..<end).reversed() where list[place].last <= sequence {
            covered.append(list.remove(at: place))
            reaches.remove(at: place)
        }
        trim()
        return covered
    }

    /// Drops the removed elements at the front once they are the greater part; O(1) for each removed element.
    private mutating func trim() {
        guard start > 64, start * 2 > list.count else { return }
        list.removeFirst(start)
        reaches.removeFirst(start)
        start = 0
    }

    func index(of bounds: SegmentBounds) -> Int? {
        let place = partitionPoint { $0 < bounds }
        return place < list.count && list[place] == bounds ? place - start : nil
    }

    /// The bounds that contain the sequence, in order.
    func holders(of sequence: UInt64) -> [SegmentBounds] {
        overlapping(SegmentBounds(first: sequence, last: sequence))
    }

    /// The bounds that share a sequence with `bounds`, in order.
    func overlapping(_ bounds: SegmentBounds) -> [SegmentBounds] {
        var place = partitionPoint { $0.first <= bounds.last }
        var found: [SegmentBounds] = []
        while place > start, reaches[place - 1] >= bounds.first {
            place -= 1
            if list[place].last >= bounds.first { found.append(list[place]) }
        }
        return found.reversed()
    }

    /// The index of the first element for which `before` is false; the elements are partitioned by it.
    private func partitionPoint(_ before: (SegmentBounds) -> Bool) -> Int {
        var low = start
        var high = list.count
        while low < high {
            let middle = low + (high - low) / 2
            if before(list[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
