import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObjectContext {
    /// All objects that fulfil the request, in order, without offset and limit: for a request whose condition or order
    /// leads to objects that have unsaved changes here, so that what the store says of clean objects may be wrong.
    ///
    /// Nil when there is no such object: then the store's answer stands for all objects that have no changes themselves.
    func objectsOverChangedRelations(_ request: FetchRequest) throws -> [ManagedObject]? {
        guard request.includesPendingChanges, dirty.count > 0 else { return nil }
        let entity = try kind(named: request.entityName).entity
        let keys = try request.sortKeys.map { try $0.bind(to: entity, in: schema.model) }
        let changed = Set(dirty.objects.map(\.kind.entity.root))
        let terms = try (request.predicate?.conjuncts ?? []).map { term in
            (term: term, bound: try term.bind(to: entity, in: schema.model))
        }
        let affected = terms.map { !$0.bound.traversedRoots(in: schema.model).isDisjoint(with: changed) }
        let isOrderAffected = keys.contains { !$0.path.traversedRoots(in: schema.model).isDisjoint(with: changed) }
        guard isOrderAffected || affected.contains(true) else { return nil }
        // What depends on the object alone is still asked of the store; all of it is asked of the objects.
        let query = FetchQuery(
            entity: entity,
            predicate: .and(zip(terms, affected).filter { !$0.1 }.map(\.0.term)),
            includesSubentities: request.includesSubentities
        )
        let rows = try read { try $0.rows(query) }
        let own = dirty.objects.filter { object in
            let kind = object.kind.entity
            return request.includesSubentities ? kind.isKind(of: entity.name) : kind.name == entity.name
        }
        let hidden = Set(own.map(\.uniqueID))
        let candidates =
            rows.filter { !hidden.contains($0.id.uniqueID) }.map { object(for: $0) }
            + own.filter { $0.state != .deleted }
        let found = candidates.filter { object in terms.allSatisfy { $0.bound.evaluate(on: object) } }
        return found.sorted { left, right in
            for key in keys {
                let order = key.order(left, right)
                if order != 0 { return order < 0 }
            }
            return left.uniqueID < right.uniqueID
        }
    }

    /// The request with a time in the place of `now()`.
    func resolved(_ request: FetchRequest) -> FetchRequest {
        guard let predicate = request.predicate else { return request }
        var request = request
        let seconds = Double(store.configuration.environment.wallMilliseconds()) / 1000
        request.predicate = predicate.resolvingNow(unixSeconds: seconds)
        return request
    }
}

extension ObjectPredicate {
    /// The conditions of which all must hold.
    fileprivate var conjuncts: [ObjectPredicate] {
        if case .and(let terms) = self { terms.flatMap(\.conjuncts) } else { [self] }
    }
}

extension FetchRequest {
    /// The part of all that fulfils the request which its offset and limit leave.
    func slice<Element>(_ all: [Element]) -> [Element] {
        let rest = all.dropFirst(max(fetchOffset, 0))
        return Array(fetchLimit.map { rest.prefix(max($0, 0)) } ?? rest)
    }
}
