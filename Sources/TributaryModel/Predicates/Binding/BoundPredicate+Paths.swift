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
    /// The slot of the evaluated object whose value the path has, -1 for the object itself or its entity; nil for a
    /// path to other objects.
    package var ownSlot: Int? { steps.isEmpty ? terminal.ownSlot : nil }
}

extension BoundPath.Terminal {
    fileprivate var ownSlot: Int? {
        switch self {
        case .identity, .entity: -1
        case .attribute(let slot, _), .member(let slot, _, _, _), .reference(let slot, _, _): slot
        case .derived(_, let inner): inner.ownSlot
        case .count, .aggregate: nil
        }
    }
}
