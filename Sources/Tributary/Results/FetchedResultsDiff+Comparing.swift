import TributaryChanges
import TributaryStore

extension FetchedResultsDiff {
    /// Creates the diff from the old sections to the new ones in the same order; `touched` are the objects that may
    /// have changed.
    init(from old: [FetchedSection], to new: [FetchedSection], touched: (ManagedObjectID) -> Bool) {
        let before = FetchedResultsDiff.positions(old)
        let after = FetchedResultsDiff.positions(new)
        let oldValues = Set(old.map { ValueIdentity([$0.value]) })
        let newValues = Set(new.map { ValueIdentity([$0.value]) })
        deletedSections = old.enumerated().filter { !newValues.contains(ValueIdentity([$1.value])) }
            .map { Section(value: $1.value, index: $0) }
        insertedSections = new.enumerated().filter { !oldValues.contains(ValueIdentity([$1.value])) }
            .map { Section(value: $1.value, index: $0) }
        // The objects that stay in their section, in the old order, with their new positions.
        var staying: [(id: ManagedObjectID, to: FetchedPosition)] = []
        for (section, content) in old.enumerated() {
            for (item, id) in content.objectIDs.enumerated() {
                let from = FetchedPosition(section: section, item: item)
                guard let to = after[id] else {
                    deletions.append(Item(id: id, position: from))
                    continue
                }
                if ValueIdentity([new[to.section].value]) == ValueIdentity([content.value]) {
                    staying.append((id, to))
                } else {
                    moves.append(Move(id: id, from: from, to: to))
                }
            }
        }
        // All other objects are moves.
        let kept = staying.map(\.to).longestRise(by: FetchedResultsDiff.precedes)
        for (index, entry) in staying.enumerated() {
            if !kept.contains(index), let from = before[entry.id] {
                moves.append(Move(id: entry.id, from: from, to: entry.to))
            } else if touched(entry.id) {
                updates.append(Item(id: entry.id, position: entry.to))
            }
        }
        for (section, content) in new.enumerated() {
            for (item, id) in content.objectIDs.enumerated() where before[id] == nil {
                insertions.append(Item(id: id, position: FetchedPosition(section: section, item: item)))
            }
        }
    }

    static func precedes(_ left: FetchedPosition, _ right: FetchedPosition) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }

    private static func positions(_ sections: [FetchedSection]) -> [ManagedObjectID: FetchedPosition] {
        var result: [ManagedObjectID: FetchedPosition] = [:]
        for (section, content) in sections.enumerated() {
            for (item, id) in content.objectIDs.enumerated() {
                result[id] = FetchedPosition(section: section, item: item)
            }
        }
        return result
    }
}
