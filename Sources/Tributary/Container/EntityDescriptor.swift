import Synchronization
package import TributaryChanges
package import TributaryModel

@usableFromInline
package final class EntityDescriptor: Sendable {
    package let entity: Entity
    let type: ManagedObject.Type
    let store: String
    /// Unique in the process; a ``Field`` remembers a property index together with it.
    @usableFromInline let serial: UInt32
    let rootIndex: Int
    let isKnown: Bool
    let defaults: [PropertyValue]
    let hasSubentities: Bool
    /// The row has exactly the values that a save wrote, so it need not be read again.
    let keepsWrittenValues: Bool
    let properties: PropertyTable
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

    func role(_ propertyIndex: Int) -> PropertyRole {
        propertyIndex < properties.roles.count ? properties.roles[propertyIndex] : .attribute(.undefined)
    }

    package func objectID(_ uniqueID: UniqueID) -> ManagedObjectID {
        ManagedObjectID(store: store, entity: entity.name, rootEntity: entity.root, uniqueID: uniqueID)
    }
}

struct PropertyTable: Sendable {
    let roles: [PropertyRole]
    private let names: [String]
    private static let fewNames = 12
    let transientIndexes: [Int]
    let transients: PropertyIndexSet
    let counters: PropertyIndexSet
    let special: PropertyIndexSet
    let derivedIndexes: PropertyIndexSet
    let derivations: [(propertyIndex: Int, derivation: Derivation)]
    let transformers: [Int: any AttributeTransforming]
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
        transients = PropertyIndexSet(transientIndexes)
        let counterIndexes = entity.properties.indices.filter { propertyIndex in
            entity.properties[propertyIndex].attribute?.isCounter == true
        }
        counters = PropertyIndexSet(counterIndexes)
        special = PropertyIndexSet(transientIndexes + counterIndexes)
        derivedIndexes = PropertyIndexSet(
            entity.properties.indices.filter { entity.properties[$0].attribute?.derivationExpression != nil }
        )
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

/// Each access by name needs the role, so it is computed once for the entity.
enum PropertyRole: Sendable {
    case attribute(AttributeType)
    case derived
    case toOne
    case toMany

    init(_ property: Property) {
        switch property {
        case .attribute(let attribute):
            self = attribute.derivationExpression == nil ? .attribute(attribute.valueType) : .derived
        case .relationship(let relationship, _):
            self = relationship.isToMany ? .toMany : .toOne
        }
    }
}
