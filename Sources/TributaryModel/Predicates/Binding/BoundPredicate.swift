package import TributaryChanges

/// A predicate with its key paths bound to a model, and each constant converted to the type of the other side.
package indirect enum BoundPredicate: Sendable {
    case always(Bool)
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
    /// `path == NULL` or `path != NULL`; the quantifier applies to the values of a to-many path.
    case nullTest(Operand, isNull: Bool, quantifier: ObjectPredicate.Quantifier)
    case comparison(Comparison)

    /// A comparison that is false when a side is null; without values, ALL and NONE are true.
    package struct Comparison: Sendable {
        package let left: Operand
        package let operation: ObjectPredicate.Operator
        /// `IN` and `BETWEEN` have a list, all other operators a value or a path to a value.
        package let right: Operand
        package let folding: StringFolding
        package let quantifier: ObjectPredicate.Quantifier
        package let kind: ValueKind
        package let matcher: StringMatcher?
        let members: SortedValues?

        struct SortedValues: Sendable {
            private let values: [PropertyValue]

            /// Leaves out values that equal nothing, such as NaN.
            init(_ values: [PropertyValue]) {
                self.values = values.filter { $0.compared(to: $0) == 0 }.sorted { ($0.compared(to: $1) ?? 0) < 0 }
            }

            func contains(_ value: PropertyValue) -> Bool {
                var range = 0..<values.count
                while let first = range.first {
                    let middle = first + range.count / 2
                    guard let order = value.compared(to: values[middle]) else { return false }
                    if order == 0 { return true }
                    range = order < 0 ? first..<middle : (middle + 1)..<range.upperBound
                }
                return false
            }
        }
    }

    package indirect enum Operand: Sendable {
        case constant(PropertyValue)
        case list([PropertyValue])
        case path(BoundPath)
        case function(BoundFunction)

        package var kind: ValueKind? {
            switch self {
            case .constant(let value): value.kind
            case .path(let path): path.kind
            case .function(let function): function.kind
            case .list: nil
            }
        }

        package var isToMany: Bool {
            if case .path(let path) = self { path.isToMany } else { false }
        }
    }
}

extension ObjectPredicate {
    package func bind(to entity: Entity, in model: Model) throws(ObjectPredicateError) -> BoundPredicate {
        try PredicateBinder(model: model, scopes: [(nil, entity)]).bind(self)
    }
}

package struct BoundSortKey: Sendable {
    package let path: BoundPath
    package let isAscending: Bool

    package func order<Subject: PredicateSubject>(_ left: Subject, _ right: Subject) -> Int
    where Subject.Related == Subject {
        let order = path.value(of: left).sortOrder(to: path.value(of: right))
        return isAscending ? order : -order
    }
}

extension SortKey {
    /// Groups may also end at a relationship: the order of identifiers has no meaning, but keeps equal values together.
    package func bind(
        to entity: Entity,
        in model: Model,
        isGroup: Bool = false
    ) throws(ObjectPredicateError) -> BoundSortKey {
        var path = try PathBinder(entity: entity, model: model).bind(keyPath.keyPathComponents)
        if let destination = path.destination(in: model), !isGroup, !path.isToMany {
            let attribute = destination.attributes.first { $0.isStored && $0.type.kind != .opaque }
            let example = attribute.map { ", such as '\(keyPath).\($0.name)'" } ?? ""
            throw ObjectPredicateError(
                "'\(keyPath)' is a relationship, and objects have no order: sort by an attribute of them\(example)",
                keyPath: keyPath
            )
        }
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

package struct BoundFunction: Sendable {
    package let function: ObjectPredicate.Function
    package let arguments: [BoundPredicate.Operand]
    package let kind: ValueKind

    package var argumentKinds: [ValueKind] { arguments.map { $0.kind ?? .opaque } }

    init?(_ function: ObjectPredicate.Function, _ arguments: [BoundPredicate.Operand]) {
        guard let kind = function.kind(of: arguments.map { $0.kind ?? .opaque }) else { return nil }
        (self.function, self.arguments, self.kind) = (function, arguments, kind)
    }

    package func value(of arguments: [PropertyValue]) -> PropertyValue {
        arguments.contains(.null) ? .null : function.value(of: arguments)
    }
}

extension BoundPredicate {
    package func roots(in model: Model) -> PredicateRoots {
        var roots = PredicateRoots()
        for path in paths { path.collect(&roots, model) }
        return roots
    }

    /// Without the paths within subqueries, which belong to the path of their subquery.
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

extension BoundPath {
    /// Which property of the evaluated object the path reads; -1 for its identity or entity, nil for other paths.
    package var ownIndex: Int? { steps.isEmpty ? terminal.ownIndex : nil }

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

package struct PredicateRoots: Sendable, Hashable {
    package var traversed: Set<String> = []
    /// Root entities that are only referenced; a deletion of an object matters, a change does not.
    package var named: Set<String> = []

    package init() {}

    package func areConcerned(changed: Set<String>, deleted: Set<String>) -> Bool {
        !traversed.isDisjoint(with: changed) || !named.isDisjoint(with: deleted)
    }
}
