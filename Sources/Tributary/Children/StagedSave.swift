import TributaryChanges
import TributaryModel
import TributaryStore

/// The changes that a child's save passes to its parent, as values.
struct StagedSave: Sendable {
    enum Action: Sendable {
        case insert
        case update
        case delete
    }

    struct Object: Sendable {
        var key: ObjectKey
        var action: Action
        var image: Row
        /// The values by property index, transient ones included.
        var values: [PropertyValue]
        /// The property indexes that the child has changed; all property indexes of an inserted object.
        var changed: [Int]

        /// The values that the child has changed, for observers of lost edits.
        var edits: ObjectSnapshot {
            var edits: [String: PropertyValue] = [:]
            for propertyIndex in changed { edits[image.entity.properties[propertyIndex].name] = values[propertyIndex] }
            return ObjectSnapshot(id: image.id, values: edits)
        }
    }

    /// A pair of a relationship that is stored as pairs, from the side that owns them.
    struct Pair: Sendable {
        var owner: ManagedObjectID
        var propertyIndex: Int
        var target: ManagedObjectID
        var isLinked: Bool
    }

    struct Order: Sendable {
        var owner: ManagedObjectID
        var propertyIndex: Int
        var ids: [ManagedObjectID]
    }

    var objects: [Object] = []
    var pairs: [Pair] = []
    var orders: [Order] = []
    /// The relationships that the child has changed, derived ones included.
    var delta = RelationshipDelta()

    var isEmpty: Bool { objects.isEmpty && pairs.isEmpty && orders.isEmpty }
}
