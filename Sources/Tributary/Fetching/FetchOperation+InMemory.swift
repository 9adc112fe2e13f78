import TributaryChanges
import TributaryModel
import TributaryStore

extension FetchOperation {
    /// The store's result may be wrong if a condition or order reads other objects with unsaved changes.
    ///
    /// Nil if no such object has changes. Offset and limit are not applied.
    func objectsOverChangedRelations() throws -> [ManagedObject]? {
        guard request.includesPendingChanges && context.pending.count > 0 || context.above?.hasUnsaved == true else {
            return nil
        }
        let descriptor = try context.descriptor(named: request.entityName)
        let keys = try request.sortKeys.map { try $0.bind(to: descriptor.entity, in: context.schema.model) }
        let terms = try FetchTerm.terms(of: request.predicate, entity: descriptor.entity, in: context.schema.model)
        let termRoots = terms.map { $0.bound.roots(in: context.schema.model) }
        let keyRoots = keys.map { $0.path.roots(in: context.schema.model) }
        guard (termRoots + keyRoots).contains(where: { $0 != PredicateRoots() }) else { return nil }
        let roots = unsavedRoots()
        let changed = changedRoots(roots)
        // A link here may take a one-to-one target from a stored object, which then has no target.
        let taken = roots.relationships.filter { place in
            let descriptor = context.schema.rootDescriptor(at: place.rootIndex)
            guard let properties = descriptor?.entity.properties, properties.indices.contains(place.propertyIndex)
            else { return true }
            return properties[place.propertyIndex].relationship?.isToMany == false
        }
        let deleted = Set(
            (roots.deleted + taken.map(\.rootIndex)).compactMap { context.schema.rootDescriptor(at: $0)?.entity.name }
        )
        let affected = termRoots.map { $0.areConcerned(changed: changed, deleted: deleted) }
        let isOrderAffected = keyRoots.contains { $0.areConcerned(changed: changed, deleted: deleted) }
        guard isOrderAffected || affected.contains(true) else { return nil }
        // No unsaved change can make these conditions true, so the store evaluates them first.
        let conditions = zip(terms, affected).filter { !$0.1 || $0.0.isOfReference }.map(\.0.condition)
        let query = FetchQuery(
            entity: descriptor.entity,
            predicate: .and(conditions),
            includesSubentities: request.includesSubentities
        )
        let rows = try context.reader.readResults { try $0.rows(query) }
        let stored = rows.filter { !isHidden($0.uniqueID, descriptor) }.map { context.object(for: $0) }
        let found =
            unsavedMatches(terms, descriptor)
            + stored.filter { object in terms.allSatisfy { $0.bound.evaluate(on: object) } }
        return found.sorted { precedes($0, $1, keys) }
    }

    func unsavedMatches(_ terms: [FetchTerm], _ descriptor: EntityDescriptor) -> [ManagedObject] {
        let required = requiredValues(terms, descriptor)
        let values = required.map(\.value)
        let scope = DirtyKeyIndex.Scope(
            rootIndex: descriptor.rootIndex,
            propertyIndexes: required.map(\.propertyIndex)
        )
        var found: [ManagedObject] = []
        if request.includesPendingChanges, context.pending.count(rootIndex: descriptor.rootIndex) > 0 {
            let own =
                required.isEmpty
                ? context.pending.visitAll()
                : context.pending.objects(values, in: scope, version: context.reader.shownVersion)
            found = own.filter { request.isFor($0.descriptor.entity) && $0.state != .deleted }
        }
        if let above = context.above, above.unsavedCount(rootIndex: descriptor.rootIndex) > 0 {
            let keys =
                required.isEmpty
                ? above.unsavedKeys(rootIndex: descriptor.rootIndex) : above.unsavedKeys(of: values, in: scope)
            for row in Set(keys).compactMap({ above.unsaved($0)?.row }) where request.isFor(row.entity) {
                if !isDirty(row.uniqueID, descriptor) { found.append(context.object(for: row)) }
            }
        }
        return found.filter { object in terms.allSatisfy { $0.bound.evaluate(on: object) } }
    }

    /// The values that every match must have, for a look-up in an index; empty when visiting all objects is cheap.
    private func requiredValues(
        _ terms: [FetchTerm],
        _ descriptor: EntityDescriptor
    ) -> [(propertyIndex: Int, value: PropertyValue)] {
        let dirtyCount = request.includesPendingChanges ? context.pending.count : 0
        let unsavedCount = dirtyCount + (context.above?.unsavedCount(rootIndex: descriptor.rootIndex) ?? 0)
        guard unsavedCount > FetchOperation.fewUnsavedObjects else { return [] }
        let values = terms.compactMap { term in term.requiredValue.map { ($0.propertyIndex, $0.value) } }
        return Dictionary(values) { first, _ in first }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private static let fewUnsavedObjects = 32

    func isHidden(_ id: UniqueID, _ descriptor: EntityDescriptor) -> Bool {
        isDirty(id, descriptor)
            || context.above?.isUnsaved(ObjectKey(rootIndex: descriptor.rootIndex, id: id)) == true
    }

    func isDirty(_ id: UniqueID, _ descriptor: EntityDescriptor) -> Bool {
        guard request.includesPendingChanges, context.pending.count > 0 else { return false }
        return context.registry.object(id, rootIndex: descriptor.rootIndex).map { $0.dirtyIndex >= 0 } == true
    }

    private func unsavedRoots() -> UnsavedRoots {
        var roots = context.above?.unsavedRoots ?? UnsavedRoots()
        guard request.includesPendingChanges else { return roots }
        roots.changed.formUnion(context.pending.list.rootIndexes)
        roots.deleted.formUnion(context.pending.list.deletedRootIndexes)
        roots.relationships.formUnion(context.pending.delta.changedRelationships)
        return roots
    }

    private func changedRoots(_ roots: UnsavedRoots) -> Set<String> {
        var names = Set(roots.changed.compactMap { context.schema.rootDescriptor(at: $0)?.entity.name })
        // An object that was only linked is not among the changed objects.
        for place in roots.relationships {
            guard let root = context.schema.rootDescriptor(at: place.rootIndex)?.entity else { continue }
            names.insert(root.name)
            for entity in context.schema.model.entities where entity.root == root.name {
                guard entity.properties.indices.contains(place.propertyIndex),
                    let name = entity.properties[place.propertyIndex].relationship?.destination
                else { continue }
                if let destination = context.schema.model.entity(named: name) { names.insert(destination.root) }
            }
        }
        return names
    }

    func withoutOwnChanges() -> FetchOperation? {
        guard !request.includesPendingChanges, context.above != nil, context.pending.count > 0 else { return nil }
        let other = ManagedObjectContext(
            home: context.home,
            name: context.name,
            mergePolicy: context.mergePolicy,
            above: context.above,
            parent: context.parent,
            executor: context.queue.executor
        )
        other.reader.markCaughtUp()
        return FetchOperation(context: other, request: request)
    }
}

extension FetchRequest {
    func isFor(_ entity: Entity) -> Bool {
        includesSubentities ? entity.isKind(of: entityName) : entity.name == entityName
    }

    func slice<Element>(_ all: [Element]) -> [Element] {
        let rest = all.dropFirst(max(fetchOffset, 0))
        return Array(fetchLimit.map { rest.prefix(max($0, 0)) } ?? rest)
    }

    func reach(hidden: Int) -> Int? {
        guard let fetchLimit else { return nil }
        let (end, isBeyond) = max(fetchLimit, 0).addingReportingOverflow(max(fetchOffset, 0))
        let (all, isFurther) = end.addingReportingOverflow(hidden)
        return isBeyond || isFurther ? nil : all
    }
}

struct FetchTerm {
    let condition: ObjectPredicate
    let bound: BoundPredicate

    static func terms(of predicate: ObjectPredicate?, entity: Entity, in model: Model) throws -> [FetchTerm] {
        try (predicate?.conjuncts ?? []).map { FetchTerm(condition: $0, bound: try $0.bind(to: entity, in: model)) }
    }

    var requiredValue: (propertyIndex: Int, value: PropertyValue)? {
        guard let (path, value) = equality, path.steps.isEmpty else { return nil }
        switch path.terminal {
        case .attribute(let propertyIndex, let attribute) where attribute.derivationExpression == nil:
            // Values of other types may be equal without being identical.
            switch (attribute.type, value) {
            case (.string, .string), (.integer16, .integer), (.integer32, .integer), (.integer64, .integer),
                (.uuid, .uuid):
                return (propertyIndex, value)
            default: return nil
            }
        case .reference(let propertyIndex, _, .column): return (propertyIndex, value)
        default: return nil
        }
    }

    /// Unsaved deletions may make such a condition false, and no unsaved change of another object makes it true.
    var isOfReference: Bool {
        guard let (path, _) = equality, path.steps.isEmpty, case .reference(_, _, .column) = path.terminal else {
            return false
        }
        return true
    }

    private var equality: (path: BoundPath, value: PropertyValue)? {
        guard case .comparison(let comparison) = bound, comparison.operation == .equal,
            comparison.quantifier == .direct, comparison.folding.isEmpty,
            case .path(let path) = comparison.left, path.scope == 0, case .constant(let value) = comparison.right
        else { return nil }
        return (path, value)
    }
}

extension ObjectPredicate {
    fileprivate var conjuncts: [ObjectPredicate] {
        if case .and(let terms) = form { terms.flatMap(\.conjuncts) } else { [self] }
    }
}
