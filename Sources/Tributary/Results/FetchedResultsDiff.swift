public import TributaryChanges

/// What changed between two states of a ``FetchedResultsController``.
///
/// Deletions are places in the old sections, insertions in the new ones; a move is a deletion and an insertion of the
/// same object. So a list view takes out what `deletions`, the sources of `moves` and `deletedSections` name, then puts in
/// `insertedSections`, `insertions` and the targets of `moves` in ascending order, and redraws `updates`.
public struct FetchedResultsDiff: Sendable, Hashable {
    /// An object with its place.
    public struct Item: Sendable, Hashable {
        /// The object.
        public let id: ManagedObjectID
        /// Where it was, or is.
        public let position: FetchedPosition
    }

    /// An object with the places before and after.
    public struct Move: Sendable, Hashable {
        /// The object.
        public let id: ManagedObjectID
        /// The place in the old sections.
        public let from: FetchedPosition
        /// The place in the new sections.
        public let to: FetchedPosition
    }

    /// A section with its index.
    public struct Section: Sendable, Hashable {
        /// What its objects have in common.
        public let value: PropertyValue
        /// The index in the old or the new sections.
        public let index: Int
    }

    /// Sections that are no more, by their old indices, ascending.
    public internal(set) var deletedSections: [Section] = []
    /// New sections, by their new indices, ascending.
    public internal(set) var insertedSections: [Section] = []
    /// Objects that are no more among the results, with their old places.
    public internal(set) var deletions: [Item] = []
    /// Objects that have come, with their new places.
    public internal(set) var insertions: [Item] = []
    /// Objects that stand elsewhere among those that stayed.
    public internal(set) var moves: [Move] = []
    /// Objects that have changed, with their new places; a moved one has changed as well and is not listed here.
    public internal(set) var updates: [Item] = []

    /// Whether nothing has changed.
    public var isEmpty: Bool { !changesOrder && updates.isEmpty }

    /// Whether sections or objects have come, gone or moved, so that ``applied(to:)`` gives other sections.
    var changesOrder: Bool {
        !(deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
            && moves.isEmpty)
    }

    /// The new sections that the diff makes of the old ones.
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
