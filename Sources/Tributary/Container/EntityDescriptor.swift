import Synchronization
package import TributaryChanges
package import TributaryModel

/// The descriptor of an entity in an open container: the class, the defaults and the property indexes of its objects.
@usableFromInline
package final class EntityDescriptor: Sendable {
    package let entity: Entity
    let type: ManagedObject.Type
    /// The store's configured name, part of every ID.
    let store: String
    /// The number of this descriptor in the process; a ``Field`` remembers a property index together with it.
    @usableFromInline let serial: UInt32
    /// The index of the root entity among the model's root entities.
    let rootIndex: Int
    let isKnown: Bool
    /// By property index: the model's default, null where there is none.
    let defaults: [PropertyValue]
    let hasSubentities: Bool
    /// Whether the row has exactly the values that a save wrote, so that the save need not read it again.
    let keepsWrittenValues: Bool
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

    func propertyIndex(named name: String) -> Int? {
        if let probe { return probe.propertyIndex(named: name) }
        return properties.isSearched ? properties.propertyIndex(named: name) : entity.propertyIndex(named: name)
    }

    /// Returns the role of a property; the object of a probe has any number of attributes.
    func role(_ propertyIndex: Int) -> PropertyRole {
        propertyIndex < properties.roles.count ? properties.roles[propertyIndex] : .attribute(.undefined)
    }

    package func objectID(_ uniqueID: UniqueID) -> ManagedObjectID {
        ManagedObjectID(store: store, entity: entity.name, rootEntity: entity.root, uniqueID: uniqueID)
    }
}
