import TestSupport
import TributaryChanges
import TributaryModel

extension ReadingQueries {
    func computed(_ entity: Entity, depth: Int, _ random: inout SeededGenerator) -> ObjectPredicate {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return subquery(entity, depth: depth, &random)
        case 1:
            let names = ["Person", "Manager", "Company", "x"].randomElement(using: &random) ?? "x"
            return .comparison(.init(.keyPath(["entity"]), .equal, .constant(.string(names))))
        case 2: return membership(entity, &random)
        default: break
        }
        let (left, type) = value(entity, depth: 2, &random)
        let operations: [ObjectPredicate.Operator] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .isIn, .beginsWith,
        ]
        let operation = operations.randomElement(using: &random) ?? .equal
        let right: ObjectPredicate.Expression =
            switch operation {
            case .between, .isIn:
                .list([.constant(constant(type, &random)), .constant(constant(type, &random))])
            default:
                Bool.random(using: &random)
                    ? value(entity, depth: 1, &random).expression : .constant(constant(type, &random))
            }
        return .comparison(
            .init(left, operation, right, caseInsensitive: type == .string && Bool.random(using: &random))
        )
    }

    private func constant(_ type: AttributeType, _ random: inout SeededGenerator) -> PropertyValue {
        ReadingWorld.value(type, &random)
    }

    private func membership(_ entity: Entity, _ random: inout SeededGenerator) -> ObjectPredicate {
        let collection = path(entity, &random)
        let right = path(entity, &random)
        return .comparison(
            Bool.random(using: &random)
                ? .init(.keyPath(right.components), .isIn, .keyPath(collection.components))
                : .init(.keyPath(collection.components), .contains, .constant(constant(right.type ?? .uuid, &random)))
        )
    }

    private func subquery(_ entity: Entity, depth: Int, _ random: inout SeededGenerator) -> ObjectPredicate {
        let relationships = entity.properties.compactMap(\.relationship).filter(\.isToMany)
        guard let relationship = relationships.randomElement(using: &random),
            let destination = model.entity(named: relationship.destination)
        else { return .always(true) }
        let name = "x\(depth)"
        let inner = rooted(predicate(destination, depth: depth - 1, &random), at: name, &random)
        let numeric = destination.properties.compactMap(\.attribute).filter { $0.isStored }.randomElement(
            using: &random
        )
        let paths: [[String]] = [
            ["@count"], ["@count"],
            [["@sum", "@min", "@max", "@avg"].randomElement(using: &random) ?? "@sum", numeric?.name ?? "x"],
        ]
        let path = paths.randomElement(using: &random) ?? []
        let query = ObjectPredicate.Subquery(
            .keyPath([relationship.name]),
            variable: name,
            where: inner,
            path: path
        )
        if Int.random(in: 0..<4, using: &random) == 0, let numeric {
            var values = query
            values.path = [numeric.name]
            return .comparison(
                .init(
                    .subquery(values),
                    [.equal, .notEqual, .less].randomElement(using: &random) ?? .equal,
                    .constant(constant(numeric.type, &random)),
                    quantifier: [.any, .all, .none].randomElement(using: &random) ?? .any
                )
            )
        }
        let type: AttributeType = path == ["@count"] ? .integer16 : numeric?.type ?? .integer64
        return .comparison(
            .init(
                .subquery(query),
                [.equal, .greater, .lessOrEqual].randomElement(using: &random) ?? .equal,
                .constant(constant(type, &random))
            )
        )
    }

    /// The predicate with most of its paths starting at the variable; the other paths start at the outer object.
    private func rooted(
        _ predicate: ObjectPredicate,
        at name: String,
        _ random: inout SeededGenerator
    ) -> ObjectPredicate {
        switch predicate.form {
        case .always, .tooDeep: return predicate
        case .and(let terms): return .and(terms.map { rooted($0, at: name, &random) })
        case .or(let terms): return .or(terms.map { rooted($0, at: name, &random) })
        case .not(let term): return .not(rooted(term, at: name, &random))
        case .comparison(var comparison):
            comparison.left = rooted(comparison.left, at: name)
            if Int.random(in: 0..<8, using: &random) > 0 { comparison.right = rooted(comparison.right, at: name) }
            return .comparison(comparison)
        }
    }

    private func rooted(_ expression: ObjectPredicate.Expression, at name: String) -> ObjectPredicate.Expression {
        switch expression.form {
        case .keyPath(let components): return components.isEmpty ? .variable(name) : .variablePath(name, components)
        case .function(let function, let arguments):
            return .function(function, arguments.map { rooted($0, at: name) })
        case .subquery(var subquery):
            subquery.collection = rooted(subquery.collection, at: name)
            return .subquery(subquery)
        case .constant, .list, .variable, .variablePath, .tooDeep: return expression
        }
    }

    private func value(
        _ entity: Entity,
        depth: Int,
        _ random: inout SeededGenerator
    ) -> (expression: ObjectPredicate.Expression, type: AttributeType) {
        guard depth > 0, Int.random(in: 0..<4, using: &random) > 0 else { return leaf(entity, &random) }
        let (first, type) = value(entity, depth: depth - 1, &random)
        switch type {
        case .string, .uri:
            let function = [ObjectPredicate.Function.uppercase, .lowercase, .canonical].randomElement(using: &random)
            if Bool.random(using: &random) { return (.function(.length, [first]), .integer64) }
            return (.function(function ?? .uppercase, [first]), .string)
        case .date:
            let second = ObjectPredicate.Expression.constant(.integer(Int64.random(in: -9...9, using: &random)))
            if Bool.random(using: &random) { return (.function(.castToNumber, [first]), .double) }
            return (.function(Bool.random(using: &random) ? .add : .subtract, [first, second]), .date)
        case .decimal:
            let second = value(entity, depth: depth - 1, &random)
            let other = second.type == .decimal ? second.expression : .constant(.integer(3))
            let function = [ObjectPredicate.Function.add, .subtract, .multiply].randomElement(using: &random) ?? .add
            if Int.random(in: 0..<4, using: &random) == 0 { return (.function(.castToString, [first]), .string) }
            return (.function(function, [first, other]), .decimal)
        case .integer16, .integer32, .integer64, .double, .float:
            let second = value(entity, depth: depth - 1, &random)
            let other = second.type.isInteger || second.type == .double ? second.expression : .constant(.double(1.5))
            let two = [ObjectPredicate.Function.add, .subtract, .multiply, .divide, .modulus, .power]
            let one = [ObjectPredicate.Function.absolute, .floor, .ceiling, .truncate, .squareRoot]
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return (.function(.castToString, [first]), .string)
            case 1: return (.function(one.randomElement(using: &random) ?? .absolute, [first]), .double)
            default: return (.function(two.randomElement(using: &random) ?? .add, [first, other]), .double)
            }
        default: return (first, type)
        }
    }

    /// A path, or an aggregate in one of its two forms.
    private func leaf(
        _ entity: Entity,
        _ random: inout SeededGenerator
    ) -> (expression: ObjectPredicate.Expression, type: AttributeType) {
        let found = path(entity, &random)
        guard found.isToMany, found.components.count > 1, let type = found.type else {
            return (.keyPath(found.components), found.type ?? .uuid)
        }
        let aggregate = ["@sum", "@min", "@max", "@avg"].randomElement(using: &random) ?? "@sum"
        var components = found.components
        components.insert(aggregate, at: Bool.random(using: &random) ? components.count : components.count - 1)
        return (.keyPath(components), aggregate == "@avg" ? .double : type)
    }
}
