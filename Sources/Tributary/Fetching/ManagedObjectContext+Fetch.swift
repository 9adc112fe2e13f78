public import TributaryChanges
public import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// The objects that fulfil the request, in its order.
    ///
    /// What the context has inserted, changed and deleted itself counts as if it were saved, unless the request says
    /// otherwise; then offset and limit are applied.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate or sort keys do not fit the model.
    public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
        let objects: [ManagedObject]
        if request.includesPropertyValues, !request.returnsObjectsAsFaults {
            switch try candidates(request) {
            case .rows(let rows):
                registry.reserve(rows.count, rootIndex: try kind(named: request.entityName).rootIndex)
                objects = rows.map { object(for: $0) }
            case .mixed(let candidates):
                objects = candidates.map { candidate in
                    switch candidate {
                    case .row(let row): object(for: row)
                    case .object(let object): object
                    }
                }
            }
        } else {
            objects = try fetchIDs(request, fillingRowCache: request.includesPropertyValues).map { fault(for: $0) }
        }
        if !request.prefetchedKeyPaths.isEmpty {
            try prefetch(request.prefetchedKeyPaths, of: objects, entity: request.entityName)
        }
        return objects
    }

    /// The same, as objects of a class; objects of other classes are left out.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest, as type: Object.Type) throws -> [Object] {
        let kind = try kind(named: request.entityName)
        try schema.check(type, isClassOf: kind)
        let objects = try fetch(request)
        // An entity that is alone in its inheritance has objects of one class only: casting each of them would be another
        // walk through all.
        if kind.entity.parent == nil, !kind.hasSubentities, kind.type is Object.Type {
            return unsafeBitCast(objects, to: [Object].self)
        }
        return objects.compactMap { $0 as? Object }
    }

    /// All objects of a class, in the given order.
    public func fetch<Object: ManagedObject>(
        _ type: Object.Type,
        predicate: ObjectPredicate? = nil,
        sortKeys: [SortKey] = []
    ) throws -> [Object] {
        try fetch(FetchRequest(type.entityName, predicate: predicate, sortKeys: sortKeys), as: type)
    }

    /// The IDs of the objects that fulfil the request; the objects are not made.
    ///
    /// - Parameters:
    ///   - request: what to fetch.
    ///   - fillingRowCache: whether rows are read along and kept for all contexts of the container, so that
    ///     `object(with:)` needs no round trip later. The row cache is bounded; rows that came first go first.
    /// - Returns: The IDs, in the order of the request.
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate or sort keys do not fit the model.
    public func fetchIDs(_ request: FetchRequest, fillingRowCache: Bool = false) throws -> [ManagedObjectID] {
        let request = resolved(request)
        if let other = withoutOwnChanges(request) {
            return try other.fetchIDs(request, fillingRowCache: fillingRowCache)
        }
        processAllChanges()
        let rows = fillingRowCache ? try readResultsAhead(query(request)) : nil
        if let objects = try objectsOverChangedRelations(request) {
            return request.slice(objects).map(\.objectID)
        }
        let overlay = try overlay(for: request)
        guard !overlay.isEmpty else { return try rows?.map(\.id) ?? readResults { try $0.ids(query(request)) } }
        return try merged(request, overlay).map { candidate in
            switch candidate {
            case .row(let row): row.id
            case .object(let object): object.objectID
            }
        }
    }

    /// How many objects fulfil the request.
    public func count(for request: FetchRequest) throws -> Int {
        let request = resolved(request)
        if let other = withoutOwnChanges(request) { return try other.count(for: request) }
        processAllChanges()
        if let objects = try objectsOverChangedRelations(request) {
            return request.slice(objects).count
        }
        let overlay = try overlay(for: request)
        guard !overlay.isEmpty else { return try readResults { try $0.count(query(request)) } }
        return try merged(request, overlay).count
    }

    /// How many objects of a class there are, or fulfil a predicate.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when the predicate does not fit the model.
    public func count<Object: ManagedObject>(of type: Object.Type, where predicate: ObjectPredicate? = nil) throws
        -> Int
    {
        try schema.check(type, isClassOf: try kind(named: type.entityName))
        return try count(for: FetchRequest(type.entityName, predicate: predicate))
    }

    // MARK: Overlay

    /// A row that was read, or an object of the context with changes.
    private enum Candidate {
        case row(Row)
        case object(ManagedObject)
    }

    /// What a fetch has found.
    private enum Candidates {
        /// Rows of the store: the context has no changes of its own.
        case rows([Row])
        case mixed([Candidate])
    }

    /// The context's dirty objects of the entity: they stand for their rows.
    private struct Overlay {
        let kind: ObjectKind
        /// How many objects of the root entity are dirty: each hides at most one row.
        let dirtyCount: Int
        /// How many the contexts above have not saved, or more.
        let countAbove: Int
        var matching: [ManagedObject] = []

        var isEmpty: Bool { hiddenCount == 0 }

        var hiddenCount: Int { dirtyCount + countAbove }
    }

    private func candidates(_ request: FetchRequest) throws -> Candidates {
        let request = resolved(request)
        if let other = withoutOwnChanges(request) {
            let found = try other.candidates(request)
            guard case .mixed(let candidates) = found else { return found }
            return .mixed(
                candidates.map { candidate in
                    guard case .object(let object) = candidate else { return candidate }
                    return object.row.map(Candidate.row) ?? .object(self.object(with: object.objectID))
                }
            )
        }
        processAllChanges()
        if let objects = try objectsOverChangedRelations(request) {
            return .mixed(request.slice(objects).map(Candidate.object))
        }
        let overlay = try overlay(for: request)
        guard !overlay.isEmpty else { return .rows(try readResults { try $0.rows(query(request)) }) }
        return .mixed(try merged(request, overlay))
    }

    private func query(_ request: FetchRequest) throws(ContextError) -> FetchQuery {
        try home.query(request)
    }

    private func overlay(for request: FetchRequest) throws -> Overlay {
        let kind = try kind(named: request.entityName)
        var overlay = Overlay(
            kind: kind,
            dirtyCount: request.includesPendingChanges ? pending.count(rootIndex: kind.rootIndex) : 0,
            countAbove: source.unsavedCount(rootIndex: kind.rootIndex)
        )
        guard !overlay.isEmpty else { return overlay }
        let terms = try FetchTerm.terms(of: request.predicate, entity: kind.entity, in: schema.model)
        let required = try requiredValues(terms, request)
        for object in overlay.dirtyCount > 0 ? dirtyCandidates(required, kind) : [] {
            guard request.isFor(object.kind.entity), object.state != .deleted else { continue }
            if terms.allSatisfy({ $0.bound.evaluate(on: object) }) { overlay.matching.append(object) }
        }
        for row in overlay.countAbove > 0 ? candidatesAbove(required, kind) : [] {
            guard request.isFor(row.entity), !isDirty(row.id.uniqueID, kind, request) else { continue }
            let object = object(for: row)
            if terms.allSatisfy({ $0.bound.evaluate(on: object) }) { overlay.matching.append(object) }
        }
        return overlay
    }

    /// Lets the contexts above and this one process what has happened to their objects; the contexts above first, since
    /// what they do now is news for the objects here.
    private func processAllChanges() {
        checkConfinement()
        source.processChanges()
        processChanges()
    }

    /// The store's rows without those that are dirty here, and the dirty objects that fulfil the predicate, in order.
    private func merged(_ request: FetchRequest, _ overlay: Overlay) throws -> [Candidate] {
        var query = try query(request)
        let keys = try request.sortKeys.map { try $0.bind(to: query.entity, in: schema.model) }
        query.offset = 0
        // Each dirty object hides at most one row.
        query.limit = request.reach(hidden: overlay.hiddenCount)
        let stored = try readResults { try $0.rows(query) }.filter { !isHidden($0.id.uniqueID, overlay.kind, request) }
        let own = overlay.matching.sorted { precedes($0, $1, keys) }
        var result: [Candidate] = []
        result.reserveCapacity(stored.count + own.count)
        var next = 0
        for object in own {
            // Both are in order, so a row is compared until one comes after the object.
            while next < stored.count, precedes(self.object(for: stored[next]), object, keys) {
                result.append(.row(stored[next]))
                next += 1
            }
            result.append(.object(object))
        }
        result += stored[next...].map(Candidate.row)
        return request.slice(result)
    }

    private func precedes(_ left: ManagedObject, _ right: ManagedObject, _ keys: [BoundSortKey]) -> Bool {
        for key in keys {
            let order = key.order(left, right)
            if order != 0 { return order < 0 }
        }
        return left.uniqueID < right.uniqueID
    }
}
