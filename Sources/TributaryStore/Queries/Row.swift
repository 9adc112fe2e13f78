package import TributaryChanges
package import TributaryModel

/// One visible object as it stands in the store, immutable.
package final class Row: Sendable {
    package let id: ManagedObjectID
    package let entity: Entity
    /// The number of the store's transaction that changed the row last.
    package let revision: Int64
    /// By slot of the concrete entity; transient attributes and to-many relationships hold null.
    ///
    /// To-one slots hold the
    /// target, or null while it is not visible.
    package let values: [PropertyValue]

    package init(id: ManagedObjectID, entity: Entity, revision: Int64, values: [PropertyValue]) {
        self.id = id
        self.entity = entity
        self.revision = revision
        self.values = values
    }
}
