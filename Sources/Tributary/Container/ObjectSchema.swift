import Synchronization
package import TributaryChanges
package import TributaryModel

package final class ObjectSchema: Sendable {
    package let model: Model
    private let descriptors: [String: EntityDescriptor]
    let derivingKinds: [EntityDescriptor]
    let derivationDependencies: [DerivationDependency]
    let rootCount: Int

    init(
        model: Model,
        store: String,
        classes: [ManagedObject.Type],
        transformers: TransformerRegistry = TransformerRegistry()
    ) throws(ContextError) {
        var types: [String: ManagedObject.Type] = [:]
        for type in classes {
            guard model.entity(named: type.entityName) != nil else {
                throw ContextError.unknownEntity(type.entityName)
            }
            types[type.entityName] = type
        }
        let derivations = model.derivationProblems
        guard derivations.isEmpty else { throw ContextError.derivations(derivations) }
        let roots = model.rootEntities.map(\.name)
        let indices = Dictionary(uniqueKeysWithValues: roots.enumerated().map { ($1, $0) })
        var descriptors: [String: EntityDescriptor] = [:]
        let classOf = Dictionary(
            uniqueKeysWithValues: model.entities.map { ($0.name, ObjectSchema.nearestClass(of: $0, among: types)) }
        )
        var problems: [FieldProblem] = []
        for entity in model.entities {
            let type = classOf[entity.name] ?? ManagedObject.self
            let descriptor = EntityDescriptor(
                entity: entity,
                type: type,
                store: store,
                rootIndex: indices[entity.root] ?? 0,
                transformers: transformers,
                targetTypes: ObjectSchema.targetTypes(of: entity, in: model, classOf)
            )
            descriptors[entity.name] = descriptor
            // Inherited classes are checked with the entity that they name.
            if types[entity.name] != nil { problems += ObjectSchema.problems(of: descriptor) }
            if type != ManagedObject.self { try transformers.check(entity) }
        }
        guard problems.isEmpty else { throw ContextError.fields(problems) }
        self.model = model
        self.descriptors = descriptors
        derivingKinds = descriptors.values.filter { !$0.properties.derivations.isEmpty }
        derivationDependencies = DerivationDependency.all(of: derivingKinds, among: descriptors)
        rootCount = roots.count
    }

    /// A sub-entity without a class has its parent's accessors.
    private static func nearestClass(
        of entity: Entity,
        among types: [String: ManagedObject.Type]
    ) -> ManagedObject.Type {
        ([entity.name] + entity.ancestors).lazy.compactMap { types[$0] }.first ?? ManagedObject.self
    }

    private static func targetTypes(
        of entity: Entity,
        in model: Model,
        _ classOf: [String: ManagedObject.Type]
    ) -> [Int: [(entity: String, type: ManagedObject.Type)]] {
        var result: [Int: [(entity: String, type: ManagedObject.Type)]] = [:]
        for (propertyIndex, property) in entity.properties.enumerated() {
            guard let destination = property.relationship.flatMap({ model.entity(named: $0.destination) }) else {
                continue
            }
            result[propertyIndex] = destination.andSubentities(in: model).compactMap { target in
                target.isAbstract ? nil : classOf[target.name].map { (target.name, $0) }
            }
        }
        return result
    }

    private static func problems(of descriptor: EntityDescriptor) -> [FieldProblem] {
        descriptor.type.allDeclaredFields.compactMap { field in
            (field as? any CheckedField)?.mismatch(in: descriptor).map {
                FieldProblem(field, in: descriptor, reason: $0)
            }
        }
    }

    func check(_ type: ManagedObject.Type, isClassOf descriptor: EntityDescriptor) throws(ContextError) {
        let start = descriptors[type.entityName] ?? descriptor
        guard start.entity.isKind(of: descriptor.entity.name) || descriptor.entity.isKind(of: start.entity.name) else {
            throw ContextError.wrongKind(entity: descriptor.entity.name, property: "class", expected: "\(type)")
        }
        guard !start.type.isKind(of: type) || start.hasSubentities else { return }
        for entity in start.entity.andSubentities(in: model) where !entity.isAbstract {
            guard let found = descriptors[entity.name], !found.type.isKind(of: type) else { continue }
            throw ContextError.classNotGiven(type, entity: entity.name)
        }
    }

    package func descriptor(named name: String) -> EntityDescriptor? { descriptors[name] }

    func rootDescriptor(at index: Int) -> EntityDescriptor? {
        let roots = model.rootEntities
        return roots.indices.contains(index) ? descriptors[roots[index].name] : nil
    }

    /// Returns the descriptor of the ID's concrete entity or of its root entity; for an unknown entity, a new one
    /// without properties, whose object is never found.
    func descriptor(of id: ManagedObjectID) -> EntityDescriptor {
        descriptors[id.entity] ?? descriptors[id.rootEntity]
            ?? EntityDescriptor(
                entity: .unknown(named: id.entity),
                type: ManagedObject.self,
                store: id.store,
                rootIndex: rootCount,
                isKnown: false
            )
    }
}

extension Entity {
    fileprivate func andSubentities(in model: Model) -> [Entity] {
        [self] + subentities.compactMap { model.entity(named: $0) }
    }
}

/// The descriptor of an entity in an open container: the class, the defaults and the property indexes of its objects.
@usableFromInline
package final class EntityDescriptor: Sendable {
    package let entity: Entity
    let type: ManagedObject.Type
    /// The store's configured name, part of every ID.
    let store: String
    /// The number of this descriptor in the process; a ``Field`` remembers a property index together with it.
    @usableFromInline let serial: UInt32
    let rootIndex: Int
    let isKnown: Bool
    /// By property index; null where the model has no default.
    let defaults: [PropertyValue]
    let hasSubentities: Bool
    /// Whether the row has exactly the values that a save wrote, so that the save need not read it again.
    let keepsWrittenValues: Bool
    let properties: PropertyTable
    /// nil except for an object that finds out which properties an accessor uses.
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

    /// The object of a probe has any number of attributes.
    func role(_ propertyIndex: Int) -> PropertyRole {
        propertyIndex < properties.roles.count ? properties.roles[propertyIndex] : .attribute(.undefined)
    }

    package func objectID(_ uniqueID: UniqueID) -> ManagedObjectID {
        ManagedObjectID(store: store, entity: entity.name, rootEntity: entity.root, uniqueID: uniqueID)
    }
}

struct PropertyTable: Sendable {
    let roles: [PropertyRole]
    /// Empty for an entity with so many properties that hashing is faster than a search.
    private let names: [String]
    private static let fewNames = 12
    let transientIndexes: [Int]
    let transients: PropertyIndexSet
    let derivedIndexes: PropertyIndexSet
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
