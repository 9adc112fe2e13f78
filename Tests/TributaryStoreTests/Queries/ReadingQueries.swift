import TestSupport
import TributaryChanges
import TributaryModel

/// Random predicates on the entities of the world; not all of them can be bound.
struct ReadingQueries {
    let model: Model

    func predicate(_ entity: Entity, depth: Int, _ random: inout SeededGenerator) -> ObjectPredicate {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &random) {
        case 6: .and((0..<3).map { _ in predicate(entity, depth: depth - 1, &random) })
        case 7: .or((0..<3).map { _ in predicate(entity, depth: depth - 1, &random) })
        case 8, 9: .not(predicate(entity, depth: depth - 1, &random))
        default: Bool.random(using: &random) ? comparison(entity, &random) : computed(entity, depth: depth, &random)
        }
    }

    private func comparison(_ entity: Entity, _ random: inout SeededGenerator) -> ObjectPredicate {
        if Int.random(in: 0..<12, using: &random) == 0, let emptiness = emptiness(entity, &random) { return emptiness }
        let left = path(entity, &random)
        var operation = ObjectPredicate.Operator.allCases.randomElement(using: &random) ?? .equal
        let isText = left.type == .string || left.type == .uri
        if !isText, Int.random(in: 0..<4, using: &random) > 0 {
            operation =
                [.equal, .notEqual, .less, .greaterOrEqual, .isIn, .between].randomElement(using: &random) ?? .equal
        }
        let quantifier: ObjectPredicate.Quantifier =
            left.isToMany ? ([.any, .all, .none].randomElement(using: &random) ?? .any) : .direct
        let right: ObjectPredicate.Expression
        switch operation {
        case .isIn:
            // Some lists exceed the length up to which each value is a parameter of its own.
            let isLong = Int.random(in: 0..<6, using: &random) == 0
            let count = isLong ? Int.random(in: 65..<90, using: &random) : Int.random(in: 0..<4, using: &random)
            right = .list((0..<count).map { _ in .constant(value(left.type, &random)) })
        case .between: right = .list([.constant(value(left.type, &random)), .constant(value(left.type, &random))])
        case .like:
            right = .constant(
                .string(["*", "?", "a*", "*a", "?b", "a\\*b", "*e*", ""].randomElement(using: &random) ?? "")
            )
        case .matches:
            right = .constant(.string(["a.*", "[aA]b?", ".*", "\\S+", "z.*a"].randomElement(using: &random) ?? ""))
        default:
            if Int.random(in: 0..<5, using: &random) == 0 {
                right = .keyPath(path(entity, &random).components)
            } else {
                right = .constant(value(left.type, &random))
            }
        }
        let swaps = isText && Int.random(in: 0..<8, using: &random) == 0
        return .comparison(
            ObjectPredicate.Comparison(
                swaps ? right : .keyPath(left.components),
                operation,
                swaps ? .keyPath(left.components) : right,
                caseInsensitive: isText && Bool.random(using: &random),
                diacriticInsensitive: isText && Bool.random(using: &random),
                quantifier: quantifier
            )
        )
    }

    /// A condition on whether a to-many relationship, at the end of a path, is empty.
    private func emptiness(_ entity: Entity, _ random: inout SeededGenerator) -> ObjectPredicate? {
        var components: [String] = []
        var current = entity
        var isToMany = false
        for _ in 0..<3 {
            guard let relationship = current.properties.compactMap(\.relationship).randomElement(using: &random) else {
                return nil
            }
            components.append(relationship.name)
            if relationship.isToMany, isToMany || Int.random(in: 0..<4, using: &random) > 0 {
                return .comparison(
                    ObjectPredicate.Comparison(
                        .keyPath(components),
                        Bool.random(using: &random) ? .equal : .notEqual,
                        .constant(.null),
                        quantifier: isToMany ? ([.any, .all, .none].randomElement(using: &random) ?? .any) : .direct
                    )
                )
            }
            isToMany = isToMany || relationship.isToMany
            current = model.entity(named: relationship.destination) ?? current
        }
        return nil
    }

    private func value(_ type: AttributeType?, _ random: inout SeededGenerator) -> PropertyValue {
        guard let type else { return .reference(ReadingWorld.id(3, UInt64.random(in: 0..<28, using: &random))) }
        return ReadingWorld.value(type, &random)
    }

    /// A key path, the type at its end (nil for an object), and whether it needs a quantifier.
    func path(
        _ entity: Entity,
        _ random: inout SeededGenerator
    ) -> (components: [String], type: AttributeType?, isToMany: Bool) {
        var components: [String] = []
        var current = entity
        var isToMany = false
        for _ in 0..<4 {
            guard let property = current.properties.randomElement(using: &random) else { break }
            components.append(property.name)
            switch property {
            case .attribute(let attribute):
                guard attribute.type == .string, Int.random(in: 0..<4, using: &random) == 0 else {
                    return (components, attribute.type, isToMany)
                }
                return (components + ["length"], .integer16, isToMany)
            case .relationship(let relationship, _):
                if relationship.isToMany, Int.random(in: 0..<4, using: &random) == 0 {
                    return (components + ["@count"], .integer64, isToMany)
                }
                isToMany = isToMany || relationship.isToMany
                if Int.random(in: 0..<4, using: &random) == 0 { return (components, nil, isToMany) }
                current = model.entity(named: relationship.destination) ?? current
            }
        }
        return (components, nil, isToMany)
    }
}
