import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// All objects that fulfil the request, in order, without offset and limit: for a request whose condition or order
    /// leads to objects that have unsaved changes here or in a context above, so that what the store says of clean objects
    /// may be wrong.
    ///
    /// Nil when there is no such object: then the store's answer stands for all objects that have no changes themselves.
    func objectsOverChangedRelations(_ request: FetchRequest) throws -> [ManagedObject]? {
        guard request.includesPendingChanges && dirty.count > 0 || source.hasUnsaved else { return nil }
        let entity = try kind(named: request.entityName).entity
        let keys = try request.sortKeys.map { try $0.bind(to: entity, in: schema.model) }
        let terms = try (request.predicate?.conjuncts ?? []).map { term in
            (term: term, bound: try term.bind(to: entity, in: schema.model))
        }
        let termRoots = terms.map { $0.bound.roots(in: schema.model) }
        let keyRoots = keys.map { $0.path.roots(in: schema.model) }
        guard (termRoots + keyRoots).contains(where: { $0 != PredicateRoots() }) else { return nil }
        // Only now: it costs what is unsaved.
        let above = source.isStore ? nil : source.unsavedState()
        let changed = unsavedRoots(request, above)
        let deleted = deletedRoots(request, above)
        let affected = termRoots.map { $0.areConcerned(changed: changed, deleted: deleted) }
        let isOrderAffected = keyRoots.contains { $0.areConcerned(changed: changed, deleted: deleted) }
        guard isOrderAffected || affected.contains(true) else { return nil }
        // What depends on the object alone is still asked of the store; all of it is asked of the objects.
        let query = FetchQuery(
            entity: entity,
            predicate: .and(zip(terms, affected).filter { !$0.1 }.map(\.0.term)),
            includesSubentities: request.includesSubentities
        )
        let rows = try readResults { try $0.rows(query) }
        let own = dirty.objects.filter { request.isFor($0.kind.entity) }
        var hidden = Set(own.map(\.uniqueID))
        var candidates = own.filter { $0.state != .deleted }
        let rowsAbove = above.map { unsavedRows(request, $0) } ?? []
        for (id, row) in rowsAbove where hidden.insert(id).inserted {
            if let row { candidates.append(object(for: row)) }
        }
        candidates += rows.filter { !hidden.contains($0.id.uniqueID) }.map { object(for: $0) }
        let found = candidates.filter { object in terms.allSatisfy { $0.bound.evaluate(on: object) } }
        return found.sorted { left, right in
            for key in keys {
                let order = key.order(left, right)
                if order != 0 { return order < 0 }
            }
            return left.uniqueID < right.uniqueID
        }
    }

    /// The root entities of which objects have changes that the store does not know.
    private func unsavedRoots(_ request: FetchRequest, _ above: UnsavedState?) -> Set<String> {
        let own = request.includesPendingChanges ? dirty.rootIndexes : []
        var roots = Set(own.compactMap { schema.rootKind(at: $0)?.entity.name })
        guard let above else { return roots }
        for key in above.objects.keys {
            if let kind = schema.rootKind(at: key.rootIndex) { roots.insert(kind.entity.name) }
        }
        // An object that was only linked is not among the objects.
        for place in above.ledger.changedPlaces {
            guard let root = schema.rootKind(at: place.rootIndex)?.entity else { continue }
            roots.insert(root.name)
            for entity in schema.model.entities where entity.root == root.name {
                guard entity.properties.indices.contains(place.slot),
                    let name = entity.properties[place.slot].relationship?.destination
                else { continue }
                if let destination = schema.model.entity(named: name) { roots.insert(destination.root) }
            }
        }
        return roots
    }

    /// The root entities of which objects are deleted here or above, and not in the store.
    private func deletedRoots(_ request: FetchRequest, _ above: UnsavedState?) -> Set<String> {
        var roots: Set<String> = []
        for object in dirty.objects where request.includesPendingChanges && object.state == .deleted {
            roots.insert(object.kind.entity.root)
        }
        for (key, unsaved) in above?.objects ?? [:] where unsaved.row == nil {
            if let kind = schema.rootKind(at: key.rootIndex) { roots.insert(kind.entity.name) }
        }
        return roots
    }

    /// The rows of the entity that contexts above have not saved, nil for those that they have deleted.
    private func unsavedRows(_ request: FetchRequest, _ above: UnsavedState) -> [(id: UniqueID, row: Row?)] {
        guard let kind = schema.kind(named: request.entityName) else { return [] }
        return above.objects.compactMap { key, unsaved in
            guard key.rootIndex == kind.rootIndex else { return nil }
            guard let row = unsaved.row else { return (key.id, nil) }
            return request.isFor(row.entity) ? (key.id, row) : nil
        }
    }

    /// A child without changes in this one's place: what it shows is what this one shows without its own.
    ///
    /// Nil when nothing needs one.
    func withoutOwnChanges(_ request: FetchRequest) -> ManagedObjectContext? {
        guard !request.includesPendingChanges, !source.isStore, dirty.count > 0 else { return nil }
        let other = ManagedObjectContext(home: home, name: name, mergePolicy: mergePolicy, source: source)
        other.executor = executor
        other.caughtUpVersion = source.version
        return other
    }

    /// The request with a time in the place of `now()`.
    func resolved(_ request: FetchRequest) -> FetchRequest {
        guard let predicate = request.predicate else { return request }
        var request = request
        request.predicate = store.resolvingNow(predicate)
        return request
    }
}

extension ObjectPredicate {
    /// The conditions of which all must hold.
    fileprivate var conjuncts: [ObjectPredicate] {
        if case .and(let terms) = form { terms.flatMap(\.conjuncts) } else { [self] }
    }

    /// An attribute of text, whole numbers or UUIDs with the value that it has in every object that fulfils the predicate; nil
    /// when none is known.
    func requiredValue(of kind: ObjectKind) -> (slot: Int, value: PropertyValue)? {
        for case .comparison(let term) in conjuncts.map(\.form) {
            guard term.operation == .equal, term.quantifier == .direct, !term.isCaseInsensitive,
                !term.isDiacriticInsensitive, case .keyPath(let path) = term.left.form, path.count == 1,
                case .constant(let value) = term.right.form, let slot = kind.slot(named: path[0]),
                case .attribute(let type) = kind.role(slot)
            else { continue }
            // Values of other types may be equal without being the same.
            switch (type, value) {
            case (.string, .string), (.integer16, .integer), (.integer32, .integer), (.integer64, .integer),
                (.uuid, .uuid):
                return (slot, value)
            default: continue
            }
        }
        return nil
    }
}

extension FetchRequest {
    /// Whether objects of an entity of the same root are asked for.
    func isFor(_ entity: Entity) -> Bool {
        includesSubentities ? entity.isKind(of: entityName) : entity.name == entityName
    }

    /// The part of all that fulfils the request which its offset and limit leave.
    func slice<Element>(_ all: [Element]) -> [Element] {
        let rest = all.dropFirst(max(fetchOffset, 0))
        return Array(fetchLimit.map { rest.prefix(max($0, 0)) } ?? rest)
    }

    /// How many rows the slice can lead to when so many of them do not count; nil for all.
    func reach(hidden: Int) -> Int? {
        guard let fetchLimit else { return nil }
        let (end, isBeyond) = max(fetchLimit, 0).addingReportingOverflow(max(fetchOffset, 0))
        let (all, isFurther) = end.addingReportingOverflow(hidden)
        return isBeyond || isFurther ? nil : all
    }
}
