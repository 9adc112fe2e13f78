package import TributaryChanges

/// A unique key that an object of a local transaction would share with an older object.
package struct SharedKey: Hashable, Sendable {
    package var object: ManagedObjectID
    /// The older object, which the transaction would show; until now the former holder of the key has hidden it.
    package var other: ManagedObjectID
    /// The highest entity that has the constraint.
    package var entity: String
    package var properties: [String]
    /// The values that both objects have, in the order of the properties.
    package var values: [PropertyValue]

    package init(
        object: ManagedObjectID,
        other: ManagedObjectID,
        entity: String,
        properties: [String],
        values: [PropertyValue]
    ) {
        self.object = object
        self.other = other
        self.entity = entity
        self.properties = properties
        self.values = values
    }
}
