import TributaryChanges
import TributaryModel

/// One of the conditions of a request that must all hold.
struct FetchTerm {
    let condition: ObjectPredicate
    let bound: BoundPredicate

    /// Returns the conditions of a predicate.
    static func terms(of predicate: ObjectPredicate?, entity: Entity, in model: Model) throws -> [FetchTerm] {
        try (predicate?.conjuncts ?? []).map { FetchTerm(condition: $0, bound: try $0.bind(to: entity, in: model)) }
    }

    /// The property and value that a plain equality requires of each matching object.
    ///
    /// The property is an attribute of text, whole numbers or UUIDs, or a to-one relationship that the object's own row
    /// stores.
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

    /// Whether the condition compares a to-one register of the object with an object: unsaved deletions may make it
    /// false, and no unsaved change of another object makes it true.
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
