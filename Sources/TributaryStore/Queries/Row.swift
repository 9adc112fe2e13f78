package import TributaryChanges
package import TributaryModel

/// One visible object with its stored values; immutable.
package final class Row: Sendable {
    package let id: ManagedObjectID
    package let entity: Entity
    /// The number of the store's transaction that changed the row last.
    package let revision: Int64
    /// The values by property index of the concrete entity.
    ///
    /// Transient attributes and to-many relationships have null. To-one property indexes hold the target, or null while
    /// it is not visible.
    package let values: [PropertyValue]

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

    package init(id: ManagedObjectID, entity: Entity, revision: Int64, values: [PropertyValue]) {
        self.id = id
        self.entity = entity
        self.revision = revision
        self.values = values
    }
}
