extension BoundPredicate {
    /// All key paths of the predicate, except those within subqueries, which belong to the path of their subquery.
    package var paths: [BoundPath] {
        switch self {
        case .always: []
        case .and(let terms), .or(let terms): terms.flatMap(\.paths)
        case .not(let term): term.paths
        case .nullTest(let operand, _, _): operand.paths
        case .comparison(let comparison): comparison.left.paths + comparison.right.paths
        }
    }
}

extension BoundPredicate.Operand {
    fileprivate var paths: [BoundPath] {
        switch self {
        case .constant, .list: []
        case .path(let path): [path]
        case .function(let function): function.arguments.flatMap(\.paths)
        }
    }
}

extension BoundPath {
    /// The property index of the evaluated object whose value the path has, -1 for the object itself or its entity; nil
    /// for a path to other objects.
    package var ownIndex: Int? { steps.isEmpty ? terminal.ownIndex : nil }
}

extension BoundPath.Terminal {
    fileprivate var ownIndex: Int? {
        switch self {
        case .identity, .entity: -1
        case .attribute(let propertyIndex, _), .member(let propertyIndex, _, _, _), .reference(let propertyIndex, _, _):
            propertyIndex
        case .derived(_, let inner): inner.ownIndex
        case .count, .aggregate: nil
        }
    }
}
