import TributaryModel

/// The properties of an entity by property index, indexed for the look-ups of objects and saves.
struct PropertyTable: Sendable {
    let roles: [PropertyRole]
    /// The names by property index; empty for an entity with so many properties that hashing is faster than a search.
    private let names: [String]
    private static let fewNames = 12
    let transientIndexes: [Int]
    let transients: PropertyIndexSet
    /// The property indexes of derived attributes, which no program sets.
    let derivedIndexes: PropertyIndexSet
    /// The property indexes of derived attributes with how they are computed.
    let derivations: [(propertyIndex: Int, derivation: Derivation)]
    let transformers: [Int: any AttributeTransforming]
    /// By property index of a relationship: the entities whose objects it leads to, with their classes.
    let targetTypes: [Int: [(entity: String, type: ManagedObject.Type)]]

    init(
        entity: Entity,
        transformers: TransformerRegistry,
        targetTypes: [Int: [(entity: String, type: ManagedObject.Type)]]
    ) {
        self.transformers = transformers.byPropertyIndex(of: entity)
        self.targetTypes = targetTypes
        roles = entity.properties.map(PropertyRole.init)
        names = entity.properties.count <= PropertyTable.fewNames ? entity.properties.map(\.name) : []
        transientIndexes = entity.properties.indices.filter { entity.properties[$0].attribute?.isStored == false }
        var transients = PropertyIndexSet()
        for propertyIndex in transientIndexes { transients.insert(propertyIndex) }
        self.transients = transients
        var derivedIndexes = PropertyIndexSet()
        for (propertyIndex, property) in entity.properties.enumerated() {
            if property.attribute?.derivationExpression != nil { derivedIndexes.insert(propertyIndex) }
        }
        self.derivedIndexes = derivedIndexes
        derivations = entity.properties.indices.compactMap { propertyIndex in
            guard let attribute = entity.properties[propertyIndex].attribute, attribute.isStored else { return nil }
            return attribute.derivationExpression.flatMap(Derivation.init).map { (propertyIndex, $0) }
        }
    }

    @inline(__always)
    var isSearched: Bool { !names.isEmpty }

    @inline(__always)
    func propertyIndex(named name: String) -> Int? {
        for propertyIndex in names.indices where names[propertyIndex] == name { return propertyIndex }
        return nil
    }
}
