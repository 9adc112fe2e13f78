extension BoundPredicate {
    /// Returns the root entities on which the result depends, besides the entity of the evaluated object.
    package func roots(in model: Model) -> PredicateRoots {
        var roots = PredicateRoots()
        for path in paths { path.collect(&roots, model) }
        return roots
    }
}

extension BoundPath {
    /// Returns the root entities on which the value depends, besides the entity at the start of the path.
    package func roots(in model: Model) -> PredicateRoots {
        var roots = PredicateRoots()
        collect(&roots, model)
        return roots
    }

    fileprivate func collect(_ roots: inout PredicateRoots, _ model: Model) {
        for step in steps {
            roots.traversed.insert(step.destination.root)
            for path in step.filter?.paths ?? [] { path.collect(&roots, model) }
        }
        switch terminal {
        case .derived: return
        case .aggregate(_, let path): path.collect(&roots, model)
        case .count(_, let relationship, _), .reference(_, let relationship, .inverse),
            .reference(_, let relationship, .links):
            if let entity = model.entity(named: relationship.destination) { roots.traversed.insert(entity.root) }
        case .reference(_, let relationship, .column):
            if let entity = model.entity(named: relationship.destination) { roots.named.insert(entity.root) }
        case .identity, .attribute, .member, .entity: return
        }
    }
}

/// The root entities, besides that of the evaluated object, on which the result of a predicate depends.
package struct PredicateRoots: Sendable, Hashable {
    /// Root entities of objects whose values or relationships the predicate reads.
    package var traversed: Set<String> = []
    /// Root entities of the destination objects of to-one registers; only the existence of these objects matters.
    package var named: Set<String> = []

    package init() {}

    /// Whether unsaved changes and deletions of objects with these root entities can change the result.
    package func areConcerned(changed: Set<String>, deleted: Set<String>) -> Bool {
        !traversed.isDisjoint(with: changed) || !named.isDisjoint(with: deleted)
    }
}
