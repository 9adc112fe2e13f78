import TributaryModel

/// The properties of an entity by slot, indexed for the look-ups of objects and saves.
struct PropertyTable: Sendable {
    let roles: [PropertyRole]
    /// The names by slot; empty for an entity with so many properties that hashing is faster than a search.
    private let names: [String]
    private static let fewNames = 12
    /// The slots of attributes that have no column, in ascending order.
    let transientSlots: [Int]
    /// The members of ``transientSlots``.
    let transients: SlotSet
    /// The slots of derived attributes, which no program sets.
    let derivedSlots: SlotSet
    /// The slots of derived attributes with how they are computed.
    let derivations: [(slot: Int, derivation: Derivation)]
    /// By slot: the transformers that the model names.
    let transformers: [Int: any AttributeTransforming]
    /// By slot of a relationship: the entities whose objects it leads to, with their classes.
    let targetTypes: [Int: [(entity: String, type: ManagedObject.Type)]]

    init(
        entity: Entity,
        transformers: TransformerRegistry,
        targetTypes: [Int: [(entity: String, type: ManagedObject.Type)]]
    ) {
        self.transformers = transformers.bySlot(of: entity)
        self.targetTypes = targetTypes
        roles = entity.properties.map(PropertyRole.init)
        names = entity.properties.count <= PropertyTable.fewNames ? entity.properties.map(\.name) : []
        transientSlots = entity.properties.indices.filter { entity.properties[$0].attribute?.isStored == false }
        var transients = SlotSet()
        for slot in transientSlots { transients.insert(slot) }
        self.transients = transients
        var derivedSlots = SlotSet()
        for (slot, property) in entity.properties.enumerated() {
            if property.attribute?.derivationExpression != nil { derivedSlots.insert(slot) }
        }
        self.derivedSlots = derivedSlots
        derivations = entity.properties.indices.compactMap { slot in
            guard let attribute = entity.properties[slot].attribute, attribute.isStored else { return nil }
            return attribute.derivationExpression.flatMap(Derivation.init).map { (slot, $0) }
        }
    }

    /// Whether ``slot(named:)`` can find names.
    var isSearched: Bool { !names.isEmpty }

    /// Returns the slot of a property, or nil when the entity has no such property.
    func slot(named name: String) -> Int? {
        for slot in names.indices where names[slot] == name { return slot }
        return nil
    }
}
