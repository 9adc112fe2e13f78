import TributaryChanges

/// Collects the removals and insertions of an update of a listing, and creates the diff from them alone.
struct ResultsDifference {
    private struct Item {
        let id: ManagedObjectID
        let position: FetchedPosition
        let section: ObjectIdentifier
        /// The number of unchanged objects in front of it in its section.
        var unchangedBefore = 0
    }

    private var removed: [Item] = []
    private var inserted: [Item] = []
    var deletedSections: [FetchedResultsDiff.Section] = []
    var insertedSections: [FetchedResultsDiff.Section] = []

    mutating func remove(_ id: ManagedObjectID, from position: FetchedPosition, in section: ObjectIdentifier) {
        removed.append(Item(id: id, position: position, section: section))
    }

    mutating func insert(_ id: ManagedObjectID, to position: FetchedPosition, in section: ObjectIdentifier) {
        inserted.append(Item(id: id, position: position, section: section))
    }

    /// Returns the diff of the removed and inserted objects.
    ///
    /// An object that was removed and inserted between the same unchanged objects is updated, or moved when other
    /// changed objects take its position.
    func diff() -> FetchedResultsDiff {
        let before = ResultsDifference.counted(removed)
        let after = ResultsDifference.counted(inserted)
        let targets = Dictionary(after.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let sources = Set(before.map(\.id))
        var diff = FetchedResultsDiff()
        diff.deletedSections = deletedSections.sorted { $0.index < $1.index }
        diff.insertedSections = insertedSections.sorted { $0.index < $1.index }
        var staying: [(id: ManagedObjectID, from: FetchedPosition, to: FetchedPosition)] = []
        for item in before {
            guard let target = targets[item.id] else {
                diff.deletions.append(FetchedResultsDiff.Item(id: item.id, position: item.position))
                continue
            }
            if item.section == target.section, item.unchangedBefore == target.unchangedBefore {
                staying.append((item.id, item.position, target.position))
            } else {
                diff.moves.append(FetchedResultsDiff.Move(id: item.id, from: item.position, to: target.position))
            }
        }
        let kept = staying.map(\.to).longestRise(by: FetchedResultsDiff.precedes)
        for (index, item) in staying.enumerated() {
            if kept.contains(index) {
                diff.updates.append(FetchedResultsDiff.Item(id: item.id, position: item.to))
            } else {
                diff.moves.append(FetchedResultsDiff.Move(id: item.id, from: item.from, to: item.to))
            }
        }
        for item in after where !sources.contains(item.id) {
            diff.insertions.append(FetchedResultsDiff.Item(id: item.id, position: item.position))
        }
        return diff
    }

    private static func counted(_ items: [Item]) -> [Item] {
        var sorted = items.sorted { FetchedResultsDiff.precedes($0.position, $1.position) }
        var changedBefore = 0
        for index in sorted.indices {
            let isFirst = index == 0 || sorted[index - 1].section != sorted[index].section
            changedBefore = isFirst ? 0 : changedBefore + 1
            sorted[index].unchangedBefore = sorted[index].position.item - changedBefore
        }
        return sorted
    }
}
