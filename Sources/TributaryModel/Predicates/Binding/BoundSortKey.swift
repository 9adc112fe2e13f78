import TributaryChanges

/// A sort key whose path is looked up in a model.
package struct BoundSortKey: Sendable {
    package let path: BoundPath
    package let isAscending: Bool

    /// Less than 0 when `left` comes first, 0 when this key does not tell the two apart.
    package func order<Subject: PredicateSubject>(_ left: Subject, _ right: Subject) -> Int
    where Subject.Related == Subject {
        let order = path.value(of: left).sortOrder(to: path.value(of: right))
        return isAscending ? order : -order
    }
}

extension SortKey {
    /// Looks the path up: it leads through to-one relationships to a value with an order.
    package func bind(to entity: Entity, in model: Model) throws(ObjectPredicateError) -> BoundSortKey {
        let components = keyPath == "SELF" ? [] : keyPath.split(separator: ".", omittingEmptySubsequences: false)
        var path = try PathBinder(entity: entity, model: model).bind(components.map(String.init))
        guard !path.isToMany else {
            throw ObjectPredicateError("nothing can be sorted by a to-many path", keyPath: keyPath)
        }
        guard path.kind != .opaque else {
            throw ObjectPredicateError("'\(keyPath)' has values without an order", keyPath: keyPath)
        }
        if let derivation = TextDerivation(comparison) {
            guard path.kind == .string, let derived = path.derived(derivation) else {
                throw ObjectPredicateError("[\(comparison.rawValue)] is for strings", keyPath: keyPath)
            }
            path = derived
        }
        return BoundSortKey(path: path, isAscending: isAscending)
    }
}
