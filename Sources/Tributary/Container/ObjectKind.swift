import Synchronization
package import TributaryChanges
package import TributaryModel

/// An entity of an open container with what its objects need again and again: the class, the defaults, the slots.
@usableFromInline
package final class ObjectKind: Sendable {
    package let entity: Entity
    /// The class of its objects.
    let type: ManagedObject.Type
    /// The store's configured name, part of every ID.
    let store: String
    /// Counts kinds in this process; a ``Field`` remembers a slot together with it.
    @usableFromInline let serial: UInt32
    /// The root entity's place among the model's root entities.
    let rootIndex: Int
    /// Whether the model has the entity.
    let isKnown: Bool
    /// By slot: the model's default, null where there is none.
    let defaults: [PropertyValue]
    /// Whether an object of this entity may turn out to be of a sub-entity.
    let hasSubentities: Bool
    /// Whether what a save wrote is what the row then holds, so that it need not be read again.
    let keepsWrittenValues: Bool
    /// The entity's properties by slot.
    let properties: PropertyTable
    /// Set in the kind of an object that only finds out which properties an accessor uses.
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
        serial = ObjectKind.nextSerial.wrappingAdd(1, ordering: .relaxed).oldValue
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

    /// The slot of a property, nil when the entity has none of the name.
    func slot(named name: String) -> Int? {
        if let probe { return probe.slot(named: name) }
        return properties.isSearched ? properties.slot(named: name) : entity.slot(named: name)
    }

    /// What a property is; an object that only finds out what an accessor uses has any number of attributes.
    func role(_ slot: Int) -> PropertyRole {
        slot < properties.roles.count ? properties.roles[slot] : .attribute(.undefined)
    }

    /// The ID of one of its objects.
    package func objectID(_ uniqueID: UniqueID) -> ManagedObjectID {
        ManagedObjectID(store: store, entity: entity.name, rootEntity: entity.root, uniqueID: uniqueID)
    }
}
