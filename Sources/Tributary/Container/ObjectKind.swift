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
    /// By slot.
    let roles: [PropertyRole]
    /// By slot; empty for an entity with so many properties that looking through the names takes longer than hashing.
    private let names: [String]
    private static let fewNames = 12
    /// The slots of attributes that have no column.
    let transientSlots: [Int]
    /// The same, for asking about one.
    let transients: SlotSet
    /// The slots of derived attributes, which nobody sets.
    let derivedSlots: SlotSet
    /// Whether an object of this entity may turn out to be of a sub-entity.
    let hasSubentities: Bool
    /// Whether what a save wrote is what the row then holds, so that it need not be read again.
    let keepsWrittenValues: Bool

    /// The slots of derived attributes with how they are computed.
    let derivations: [(slot: Int, derivation: Derivation)]

    /// By slot: the transformers that the model names.
    let transformers: [Int: any AttributeTransforming]
    /// By slot of a relationship: the entities whose objects it leads to, with their classes.
    let targetTypes: [Int: [(entity: String, type: ManagedObject.Type)]]
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
        self.transformers = transformers.bySlot(of: entity)
        self.targetTypes = targetTypes
        self.probe = probe
        defaults = entity.properties.map { $0.attribute?.defaultValue ?? .null }
        roles = entity.properties.map(PropertyRole.init)
        names = entity.properties.count <= ObjectKind.fewNames ? entity.properties.map(\.name) : []
        transientSlots = entity.properties.indices.filter { entity.properties[$0].attribute?.isStored == false }
        var transients = SlotSet()
        for slot in transientSlots { transients.insert(slot) }
        self.transients = transients
        var derivedSlots = SlotSet()
        for (slot, property) in entity.properties.enumerated() {
            if property.attribute?.derivationExpression != nil { derivedSlots.insert(slot) }
        }
        self.derivedSlots = derivedSlots
        hasSubentities = !entity.subentities.isEmpty
        derivations = entity.properties.indices.compactMap { slot in
            guard let attribute = entity.properties[slot].attribute, attribute.isStored else { return nil }
            return attribute.derivationExpression.flatMap(Derivation.init).map { (slot, $0) }
        }
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
        guard !names.isEmpty else { return entity.slot(named: name) }
        for slot in names.indices where names[slot] == name { return slot }
        return nil
    }

    /// What a property is; an object that only finds out what an accessor uses has any number of attributes.
    func role(_ slot: Int) -> PropertyRole { slot < roles.count ? roles[slot] : .attribute(.undefined) }

    /// The ID of one of its objects.
    package func objectID(_ uniqueID: UniqueID) -> ManagedObjectID {
        ManagedObjectID(store: store, entity: entity.name, rootEntity: entity.root, uniqueID: uniqueID)
    }
}
