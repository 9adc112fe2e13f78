import TributaryChanges
import TributaryModel
import TributaryStore

/// What a child's save hands to its parent, as values.
struct StagedSave: Sendable {
    enum Action: Sendable {
        case insert
        case update
        case delete
    }

    struct Object: Sendable {
        var key: ObjectKey
        var action: Action
        /// The child's object with transient values left out.
        var image: Row
        /// By slot, transient ones too.
        var values: [PropertyValue]
        /// The slots that the child has changed; those of an inserted object count all.
        var changed: [Int]

        /// What the child has changed, for those who are told that it is lost.
        var edits: ObjectSnapshot {
            var edits: [String: PropertyValue] = [:]
            for slot in changed { edits[image.entity.properties[slot].name] = values[slot] }
            return ObjectSnapshot(id: image.id, values: edits)
        }
    }

    /// A pair of a relationship that is stored as pairs, from the side that owns them.
    struct Pair: Sendable {
        var owner: ManagedObjectID
        var slot: Int
        var target: ManagedObjectID
        var isLinked: Bool
    }

    /// The order of an ordered relationship.
    struct Order: Sendable {
        var owner: ManagedObjectID
        var slot: Int
        var ids: [ManagedObjectID]
    }

    var objects: [Object] = []
    var pairs: [Pair] = []
    var orders: [Order] = []
    /// What the child has changed about relationships, derived ones included.
    var delta = RelationshipDelta()

    var isEmpty: Bool { objects.isEmpty && pairs.isEmpty && orders.isEmpty }
}
