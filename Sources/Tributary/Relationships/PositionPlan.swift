import TributaryChanges

/// Finds positions for new and moved objects of one relationship, between the objects that keep their positions.
struct PositionPlan {
    let wanted: [ManagedObjectID]
    /// The newest positions, including those of other objects.
    let positions: [ManagedObjectID: String]
    let kept: Set<ManagedObjectID>

    /// Returns positions in order; when two neighbours leave no room between them, the second one moves as well.
    func positioned() -> [(id: ManagedObjectID, position: String)] {
        var result: [(id: ManagedObjectID, position: String)] = []
        var low: String?
        var index = 0
        while index < wanted.count {
            if kept.contains(wanted[index]) {
                low = positions[wanted[index]]
                index += 1
                continue
            }
            var end = index
            while true {
                while end < wanted.count, !kept.contains(wanted[end]) { end += 1 }
                let high = end < wanted.count ? upper(positions[wanted[end]], above: low) : next(above: low)
                if let made = PositionMaker.positions(end - index, after: low, before: high) {
                    result += zip(wanted[index..<end], made).map { ($0, $1) }
                    low = made.last
                    break
                }
                guard end < wanted.count else {
                    // The objects after these leave no room, but the end always has room.
                    let made = PositionMaker.positions(end - index, after: greatest, before: nil) ?? []
                    result += zip(wanted[index..<end], made).map { ($0, $1) }
                    break
                }
                end += 1
            }
            index = end
        }
        return result
    }

    private var greatest: String? { positions.values.max { $0.precedesByBytes($1) } }

    /// At the end of the list, new positions follow the objects that others have added, unless a neighbour is known.
    private func next(above low: String?) -> String? {
        guard let low else { return nil }
        let wantedSet = Set(wanted)
        let later = positions.filter { !wantedSet.contains($0.key) && low.precedesByBytes($0.value) }
        return later.isEmpty ? nil : later.values.min { $0.precedesByBytes($1) }
    }

    /// Returns the position that limits a new one from above.
    ///
    /// It is the position of the next object that stays, or the next greater one when others have moved that object
    /// before the one below.
    private func upper(_ high: String?, above low: String?) -> String? {
        guard let high, let low, high.precedesByBytes(low) else { return high }
        return positions.values.filter { low.precedesByBytes($0) }.min { $0.precedesByBytes($1) }
    }
}
