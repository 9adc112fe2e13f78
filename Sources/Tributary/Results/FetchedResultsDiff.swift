public import TributaryChanges

/// The difference between two states of a ``FetchedResultsController``.
///
/// Deletions are positions in the old sections, insertions are positions in the new ones; a move is a deletion and an
/// insertion of one object. So a list view removes `deletions`, the sources of `moves` and `deletedSections`, then
/// inserts `insertedSections`, `insertions` and the targets of `moves` in ascending order, and redraws `updates`.
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
    /// Objects whose position among the remaining ones has changed.
    public internal(set) var moves: [Move] = []
    /// Objects that have changed, with their new positions; moved objects are not listed here.
    public internal(set) var updates: [Item] = []

    /// Whether nothing has changed.
    public var isEmpty: Bool { !changesOrder && updates.isEmpty }

    /// Whether sections or objects were inserted, removed or moved, so that ``applied(to:)`` returns other sections.
    var changesOrder: Bool {
        !(deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty
            && moves.isEmpty)
    }

    /// Returns the new sections for the old ones.
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
