import Synchronization
package import TributaryChanges
package import TributaryModel

/// The descriptor of an entity in an open container: the class, the defaults and the property indexes of its objects.
@usableFromInline
package final class EntityDescriptor: Sendable {
    package let entity: Entity
    /// The class of its objects.
    let type: ManagedObject.Type
    /// The store's configured name, part of every ID.
    let store: String
    /// The number of this descriptor in the process; a ``Field`` remembers a property index together with it.
    @usableFromInline let serial: UInt32
    /// The index of the root entity among the model's root entities.
    let rootIndex: Int
    /// Whether the model has the entity.
    let isKnown: Bool
    /// By property index: the model's default, null where there is none.
    let defaults: [PropertyValue]
    /// Whether an object of this entity may be of a sub-entity.
    let hasSubentities: Bool
    /// Whether the row has exactly the values that a save wrote, so that the save need not read it again.
    let keepsWrittenValues: Bool
    /// The entity's properties by property index.
    let properties: PropertyTable
    /// The probe of an object that finds out which properties an accessor uses; nil for other objects.
    let probe: PropertyProbe?

    private static let nextSerial = Atomic<UInt32>(1)

    init(
        entity: Entity,
        type: ManagedObject.Type,
        store: String,
        rootIndex: Int,
        isKnown: Bool = true,
        transformers: TransformerRegistry = TransformerRegistry(),
        targetTypes: [Int: [(entity: String, type: ManagedObject.Type)]] = [:],
        probe: PropertyProbe? = nil
    ) {
        self.entity = entity
        self.type = type
        self.store = store
        self.rootIndex = rootIndex
        self.isKnown = isKnown
        serial = EntityDescriptor.nextSerial.wrappingAdd(1, ordering: .relaxed).oldValue
        self.probe = probe
        defaults = entity.properties.map { $0.attribute?.defaultValue ?? .null }
        properties = PropertyTable(entity: entity, transformers: transformers, targetTypes: targetTypes)
        hasSubentities = !entity.subentities.isEmpty
        keepsWrittenValues =
            entity.uniquenessConstraints.isEmpty
            && entity.properties.allSatisfy { property in
                guard let attribute = property.attribute else { return true }
                return attribute.mergeRule == .latest && attribute.derivationExpression == nil
                    && !attribute.allowsExternalBinaryStorage
            }
    }

    /// Returns the property index of a property, or nil when the entity has no such property.
    func propertyIndex(named name: String) -> Int? {
        if let probe { return probe.propertyIndex(named: name) }
        return properties.isSearched ? properties.propertyIndex(named: name) : entity.propertyIndex(named: name)
    }

    /// Returns the role of a property; the object of a probe has any number of attributes.
    func role(_ propertyIndex: Int) -> PropertyRole {
        propertyIndex < properties.roles.count ? properties.roles[propertyIndex] : .attribute(.undefined)
    }

    /// Returns the ID of one of the entity's objects.
    package func objectID(_ uniqueID: UniqueID) -> ManagedObjectID {
        ManagedObjectID(store: store, entity: entity.name, rootEntity: entity.root, uniqueID: uniqueID)
    }
}
