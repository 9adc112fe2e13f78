public import TributaryChanges
import TributaryStore

/// The difference between two states of a ``FetchedResultsController``.
///
/// Deletions are positions in the old sections, insertions are positions in the new sections; a move is a deletion and
/// an insertion of the same object. So a list view removes `deletions`, the sources of `moves` and `deletedSections`,
/// then inserts `insertedSections`, `insertions` and the targets of `moves` in ascending order, and redraws `updates`.
public struct FetchedResultsDiff: Sendable, Hashable {
    /// An object with its position.
    public struct Item: Sendable, Hashable {
        /// The ID of the object.
        public let id: ManagedObjectID
        /// The old position of a deletion, or the new position of an insertion or update.
        public let position: FetchedPosition
    }

    /// An object with its old and new positions.
    public struct Move: Sendable, Hashable {
        /// The ID of the object.
        public let id: ManagedObjectID
        /// The position in the old sections.
        public let from: FetchedPosition
        /// The position in the new sections.
        public let to: FetchedPosition
    }

    /// A section with its index.
    public struct Section: Sendable, Hashable {
        /// The value of the section key path that the section's objects share.
        public let value: PropertyValue
        /// The index in the old or the new sections.
        public let index: Int
    }

    /// Removed sections, with their old indices, ascending.
    public internal(set) var deletedSections: [Section] = []
    /// New sections, with their new indices, ascending.
    public internal(set) var insertedSections: [Section] = []
    /// Objects that are no longer results, with their old positions.
    public internal(set) var deletions: [Item] = []
    /// New results, with their new positions.
    public internal(set) var insertions: [Item] = []
    /// Objects with a new position among the remaining objects.
    public internal(set) var moves: [Move] = []
    /// Objects that have changed, with their new positions; moved objects are not listed here.
    public internal(set) var updates: [Item] = []

    /// Whether nothing has changed.
    public var isEmpty: Bool { !changesOrder && updates.isEmpty }

    var changesOrder: Bool {
        !(deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
            && moves.isEmpty)
    }

    /// Returns the new sections for the old sections.
    public func applied(to old: [FetchedSection]) -> [FetchedSection] {
        var sections = old
        let leaving = deletions.map(\.position) + moves.map(\.from)
        for position in leaving.sorted(by: { ($0.section, $0.item) > ($1.section, $1.item) }) {
            sections[position.section].objectIDs.remove(at: position.item)
        }
        for section in deletedSections.reversed() { sections.remove(at: section.index) }
        for section in insertedSections {
            sections.insert(FetchedSection(value: section.value, objectIDs: []), at: section.index)
        }
        let coming = insertions.map { ($0.id, $0.position) } + moves.map { ($0.id, $0.to) }
        for (id, position) in coming.sorted(by: { ($0.1.section, $0.1.item) < ($1.1.section, $1.1.item) }) {
            sections[position.section].objectIDs.insert(id, at: position.item)
        }
        return sections
    }
}

extension FetchedResultsDiff {
    init(from old: [FetchedSection], to new: [FetchedSection], touched: (ManagedObjectID) -> Bool) {
        var difference = ResultsDifference<ValueIdentity>()
        for (section, content) in old.enumerated() {
            let value = ValueIdentity([content.value])
            for (item, id) in content.objectIDs.enumerated() {
                let position = FetchedPosition(section: section, item: item)
                difference.remove(id, from: position, in: value)
            }
        }
        for (section, content) in new.enumerated() {
            let value = ValueIdentity([content.value])
            for (item, id) in content.objectIDs.enumerated() {
                let position = FetchedPosition(section: section, item: item)
                difference.insert(id, to: position, in: value)
            }
        }
        let oldValues = Set(old.map { ValueIdentity([$0.value]) })
        let newValues = Set(new.map { ValueIdentity([$0.value]) })
        difference.deletedSections = old.enumerated().filter { !newValues.contains(ValueIdentity([$1.value])) }
            .map { Section(value: $1.value, index: $0) }
        difference.insertedSections = new.enumerated().filter { !oldValues.contains(ValueIdentity([$1.value])) }
            .map { Section(value: $1.value, index: $0) }
        self = difference.diff()
        updates.removeAll { !touched($0.id) }
    }

    static func precedes(_ left: FetchedPosition, _ right: FetchedPosition) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}

struct ResultsDifference<Section: Hashable> {
    private struct Item {
        let id: ManagedObjectID
        let position: FetchedPosition
        let section: Section
        var unchangedBefore = 0
    }

    private var removed: [Item] = []
    private var inserted: [Item] = []
    var deletedSections: [FetchedResultsDiff.Section] = []
    var insertedSections: [FetchedResultsDiff.Section] = []

    mutating func remove(_ id: ManagedObjectID, from position: FetchedPosition, in section: Section) {
        removed.append(Item(id: id, position: position, section: section))
    }

    mutating func insert(_ id: ManagedObjectID, to position: FetchedPosition, in section: Section) {
        inserted.append(Item(id: id, position: position, section: section))
    }

    /// An object between the same unchanged objects as before is updated, or moved if other changed objects are there.
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
            let isFirst = index == 0 || sorted[index - 1].position.section != sorted[index].position.section
            changedBefore = isFirst ? 0 : changedBefore + 1
            sorted[index].unchangedBefore = sorted[index].position.item - changedBefore
        }
        return sorted
    }
}

/// A section of a ``FetchedResultsController``: a value of the section key path, and the IDs of its objects in order.
public struct FetchedSection: Sendable, Hashable {
    /// The value of the section key path for these objects; null without a section key path.
    public let value: PropertyValue
    /// The objects, in the order of the request.
    public var objectIDs: [ManagedObjectID]

    /// Creates a section from its value and IDs.
    public init(value: PropertyValue, objectIDs: [ManagedObjectID]) {
        self.value = value
        self.objectIDs = objectIDs
    }
}
