package import TributaryChanges

/// A predicate whose key paths are looked up in a model, and whose constants have the types of what they meet.
///
/// What its comparisons mean is said at ``ObjectPredicate``.
package indirect enum BoundPredicate: Sendable {
    case always(Bool)
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
    /// `path == NULL` (`isNull`) or `path != NULL`; with a quantifier, of the values at the end of a to-many path.
    case nullTest(Operand, isNull: Bool, quantifier: ObjectPredicate.Quantifier)
    case comparison(Comparison)

    /// A comparison that is false wherever one of its sides has no value.
    ///
    /// With ANY it is true when it is for one of the values at the end of the left path, with NONE when for no one, with
    /// ALL when there is none for which it is false.
    package struct Comparison: Sendable {
        package let left: Operand
        package let operation: ObjectPredicate.Operator
        /// `IN` and `BETWEEN` have a list, all other operators one value or a path to one.
        package let right: Operand
        package let isCaseInsensitive: Bool
        package let isDiacriticInsensitive: Bool
        /// `direct` unless the left path is to-many.
        package let quantifier: ObjectPredicate.Quantifier
        /// What both sides are.
        package let kind: ValueKind
        /// For the five string operators with a constant on the right.
        package let matcher: StringMatcher?
        /// For IN, the list in order, folded as the options say.
        let members: SortedValues?
    }

    /// One side of a comparison.
    package indirect enum Operand: Sendable {
        /// Never null.
        case constant(PropertyValue)
        /// Without nulls.
        case list([PropertyValue])
        case path(BoundPath)
        case function(BoundFunction)

        /// Nil for a list.
        package var kind: ValueKind? {
            switch self {
            case .constant(let value): value.kind
            case .path(let path): path.kind
            case .function(let function): function.kind
            case .list: nil
            }
        }

        /// Whether it is a path to any number of values.
        package var isToMany: Bool {
            if case .path(let path) = self { path.isToMany } else { false }
        }
    }
}

extension ObjectPredicate {
    /// Looks key paths up, checks types and turns constants into the types of what they are compared with.
    ///
    /// - Throws: ``ObjectPredicateError`` when a path leads nowhere, two sides do not compare, or a `$VARIABLE` is left.
    package func bind(to entity: Entity, in model: Model) throws(ObjectPredicateError) -> BoundPredicate {
        try PredicateBinder(entity: entity, model: model).bind(self)
    }
}
