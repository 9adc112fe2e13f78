import TributaryChanges
package import TributaryModel

/// The entities of an open container, ready for objects; shared by its contexts.
package final class ObjectSchema: Sendable {
    package let model: Model
    private let kinds: [String: ObjectKind]
    /// Entities with derived attributes, the inherited ones included.
    let derivingKinds: [ObjectKind]
    /// How many root entities there are.
    let rootCount: Int

    /// - Throws: ``ContextError`` when a class names an entity that the model does not have, or a derived attribute has an
    ///   expression that cannot be computed.
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
        let problems = model.derivationProblems
        guard problems.isEmpty else { throw ContextError.derivations(problems) }
        let roots = model.rootEntities.map(\.name)
        let indices = Dictionary(uniqueKeysWithValues: roots.enumerated().map { ($1, $0) })
        var kinds: [String: ObjectKind] = [:]
        for entity in model.entities {
            // The nearest class up the inheritance, so that a sub-entity without one still has its parent's accessors.
            let lineage = [entity.name] + entity.ancestors
            let type = lineage.lazy.compactMap { types[$0] }.first ?? ManagedObject.self
            kinds[entity.name] = ObjectKind(
                entity: entity,
                type: type,
                store: store,
                rootIndex: indices[entity.root] ?? 0,
                transformers: transformers
            )
            if type != ManagedObject.self { try transformers.check(entity) }
        }
        self.model = model
        self.kinds = kinds
        derivingKinds = kinds.values.filter { !$0.derivations.isEmpty }
        rootCount = roots.count
    }

    /// The entity of the given name, nil when the model has none.
    package func kind(named name: String) -> ObjectKind? { kinds[name] }

    /// The root entity of the given place, nil when there is none.
    func rootKind(at index: Int) -> ObjectKind? {
        let roots = model.rootEntities
        return roots.indices.contains(index) ? kinds[roots[index].name] : nil
    }

    /// The concrete entity of an ID, its root entity when the model does not have the concrete one, or else a kind of its
    /// own without properties: an object that is never found.
    func kind(of id: ManagedObjectID) -> ObjectKind {
        kinds[id.entity] ?? kinds[id.rootEntity]
            ?? ObjectKind(
                entity: .unknown(named: id.entity),
                type: ManagedObject.self,
                store: id.store,
                rootIndex: rootCount,
                isKnown: false
            )
    }
}
