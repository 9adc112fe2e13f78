package import TributaryChanges
package import TributaryModel

/// One visible object with its stored values.
package struct Row: Sendable {
    package let uniqueID: UniqueID
    /// The store's configured name, part of the ID.
    private let store: String
    package let entity: Entity
    /// The number of the store's transaction that changed the row last.
    package let revision: Int64
    /// The values by property index of the concrete entity.
    ///
    /// Transient attributes and to-many relationships have null. To-one property indexes hold the target, or null while
    /// it is not visible.
    package var values: [PropertyValue]

    package var id: ManagedObjectID {
        ManagedObjectID(store: store, entity: entity.name, rootEntity: entity.root, uniqueID: uniqueID)
    }

    /// The length of the values in bytes, about.
    package var byteCount: Int {
        values.reduce(0) { sum, value in
            switch value {
            case .string(let text), .decimal(let text), .uri(let text), .composite(let text): sum + text.utf8.count
            case .binary(let bytes): sum + bytes.count
            case .blob(_, let size): sum + Int(clamping: size)
            default: sum + 16
            }
        }
    }

    package init(uniqueID: UniqueID, store: String, entity: Entity, revision: Int64, values: [PropertyValue]) {
        self.uniqueID = uniqueID
        self.store = store
        self.entity = entity
        self.revision = revision
        self.values = values
    }
}
