import TributaryChanges

package struct BoundSortKey: Sendable {
    package let path: BoundPath
    package let isAscending: Bool

    /// Returns a number below 0 when `left` comes first, above 0 when `right` does, else 0.
    package func order<Subject: PredicateSubject>(_ left: Subject, _ right: Subject) -> Int
    where Subject.Related == Subject {
        let order = path.value(of: left).sortOrder(to: path.value(of: right))
        return isAscending ? order : -order
    }
}

extension SortKey {
    /// Binds the path, which must follow to-one relationships to a value with an order.
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
