import TributaryChanges
package import TributaryModel

package final class ObjectSchema: Sendable {
    package let model: Model
    private let descriptors: [String: EntityDescriptor]
    let derivingKinds: [EntityDescriptor]
    let derivationDependencies: [DerivationDependency]
    let rootCount: Int
    let hasBounds: Bool
    let hasReferenceRules: Bool

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
            if types[entity.name] != nil { problems += descriptor.fieldProblems(in: model, classOf) }
            if type != ManagedObject.self { try transformers.check(entity) }
        }
        guard problems.isEmpty else { throw ContextError.fields(problems) }
        self.model = model
        self.descriptors = descriptors
        derivingKinds = descriptors.values.filter { !$0.properties.derivations.isEmpty }
        derivationDependencies = DerivationDependency.all(of: derivingKinds, among: descriptors)
        rootCount = roots.count
        hasBounds = model.entities.contains { $0.properties.contains(where: \.isBounded) }
        hasReferenceRules =
            hasBounds
            || model.entities.contains { entity in
                entity.relationships.contains { !$0.isToMany && !$0.isOptional }
            }
    }

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

    func check(_ type: ManagedObject.Type, isClassOf descriptor: EntityDescriptor) throws(ContextError) {
        let start = descriptors[type.entityName] ?? descriptor
        guard start.entity.isKind(of: descriptor.entity.name) || descriptor.entity.isKind(of: start.entity.name) else {
            throw ContextError.wrongClass(type, entity: descriptor.entity.name)
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

    /// An unknown entity gets a new descriptor without properties, so that its objects are never found.
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
