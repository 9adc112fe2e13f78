extension BoundPredicate {
    /// Root entities of the objects, besides the one asked about, that the answer depends on.
    package func traversedRoots(in model: Model) -> Set<String> {
        var roots: Set<String> = []
        collect(&roots, model)
        return roots
    }

    fileprivate func collect(_ roots: inout Set<String>, _ model: Model) {
        switch self {
        case .always: return
        case .and(let terms), .or(let terms): for term in terms { term.collect(&roots, model) }
        case .not(let term): term.collect(&roots, model)
        case .nullTest(let operand, _, _): operand.collect(&roots, model)
        case .comparison(let comparison):
            comparison.left.collect(&roots, model)
            comparison.right.collect(&roots, model)
        }
    }
}

extension BoundPredicate.Operand {
    fileprivate func collect(_ roots: inout Set<String>, _ model: Model) {
        switch self {
        case .constant, .list: return
        case .path(let path): path.collect(&roots, model)
        case .function(let function): for argument in function.arguments { argument.collect(&roots, model) }
        }
    }
}

extension BoundPath {
    /// Root entities of the objects that the value depends on, besides the one where the path starts.
    package func traversedRoots(in model: Model) -> Set<String> {
        var roots: Set<String> = []
        collect(&roots, model)
        return roots
    }

    fileprivate func collect(_ roots: inout Set<String>, _ model: Model) {
        for step in steps {
            roots.insert(step.destination.root)
            step.filter?.collect(&roots, model)
        }
        switch terminal {
        case .aggregate(_, let path): path.collect(&roots, model)
        case .count(_, let relationship, _), .reference(_, let relationship, .inverse),
            .reference(_, let relationship, .links):
            if let entity = model.entity(named: relationship.destination) { roots.insert(entity.root) }
        case .identity, .attribute, .member, .reference, .entity: return
        }
    }
}
