// Derived attributes: their expressions, and the reasons why an expression cannot be computed.

package enum Derivation: Hashable, Sendable {
    package enum Aggregate: String, Sendable { case sum, min, max }

    /// `now()`: the time of the save that changed the object.
    case now
    /// `name`, or `department.name` with the to-one relationship `department`.
    case value(through: String?, attribute: String, ObjectPredicate.Function?)
    case count(relationship: String)
    /// `employees.@sum.salary`, also written `sum:(employees.salary)`.
    case aggregate(Aggregate, relationship: String, attribute: String)

    package init?(_ expression: String) {
        let text = expression.filter { !$0.isWhitespace }
        if text == "now()" {
            self = .now
            return
        }
        if let colon = text.firstIndex(of: ":") {
            let name = String(text[..<colon])
            let argument = text[text.index(after: colon)...]
            guard argument.hasPrefix("("), argument.hasSuffix(")") else { return nil }
            let path = argument.dropFirst().dropLast().split(separator: ".").map(String.init)
            if let aggregate = Aggregate(rawValue: name), path.count == 2 {
                self = .aggregate(aggregate, relationship: path[0], attribute: path[1])
                return
            }
            guard let function = Derivation.functions.first(where: { $0.rawValue == "\(name):" }),
                let value = Derivation.value(path, function)
            else { return nil }
            self = value
            return
        }
        let path = text.split(separator: ".").map(String.init)
        if path.count == 2, path[1] == "@count" {
            self = .count(relationship: path[0])
        } else if path.count == 3, let place = path.firstIndex(where: { $0.hasPrefix("@") }), place > 0,
            let aggregate = Aggregate(rawValue: String(path[place].dropFirst()))
        {
            self = .aggregate(aggregate, relationship: path[0], attribute: path[place == 1 ? 2 : 1])
        } else if let value = Derivation.value(path, nil) {
            self = value
        } else {
            return nil
        }
    }

    private static let functions: [ObjectPredicate.Function] = [.canonical, .lowercase, .uppercase]

    private static func value(_ path: [String], _ function: ObjectPredicate.Function?) -> Derivation? {
        guard !path.contains(where: { $0.contains("@") }) else { return nil }
        switch path.count {
        case 1: return .value(through: nil, attribute: path[0], function)
        case 2: return .value(through: path[0], attribute: path[1], function)
        default: return nil
        }
    }

    package var relationship: String? {
        switch self {
        case .now: nil
        case .value(let relationship, _, _): relationship
        case .count(let relationship), .aggregate(_, let relationship, _): relationship
        }
    }
}

extension Model {
    /// A store is not opened with such a model; reading it is allowed, because former versions may have such
    /// attributes.
    package var derivationProblems: [DerivationProblem] {
        entities.sorted { $0.name < $1.name }.flatMap { entity in
            entity.attributes.compactMap { attribute -> DerivationProblem? in
                guard attribute.isStored, let expression = attribute.derivationExpression,
                    let reason = problem(of: expression, attribute, in: entity)
                else { return nil }
                return DerivationProblem(
                    entity: entity.name,
                    attribute: attribute.name,
                    expression: expression,
                    reason: reason
                )
            }
        }
    }

    private func problem(of expression: String, _ attribute: Attribute, in entity: Entity) -> String? {
        guard let derivation = Derivation(expression) else { return "the expression is not understood" }
        switch derivation {
        case .now:
            return attribute.type == .date || attribute.type == .double
                ? nil : "it is a date, not \(attribute.type.rawValue)"
        case .value(let name, let key, let function):
            var owner = entity
            if let name {
                switch destination(of: name, in: entity, isToMany: false) {
                case .success(let found): owner = found
                case .failure(let reason): return reason.text
                }
            }
            guard let source = self.attribute(key, of: owner) else { return "\(owner.name) has no attribute '\(key)'" }
            if function != nil {
                if source.type != .string { return "\(owner.name).\(key) is not a string" }
                return attribute.type == .string ? nil : "it is a string, not \(attribute.type.rawValue)"
            }
            let fits =
                source.type == attribute.type || (source.type.isInteger && attribute.type.isInteger)
                || (source.type.isFraction && attribute.type.isFraction)
            return fits ? nil : "it is \(source.type.rawValue), not \(attribute.type.rawValue)"
        case .count(let name):
            if case .failure(let reason) = destination(of: name, in: entity, isToMany: true) { return reason.text }
            return attribute.type.isNumber ? nil : "it is a number, not \(attribute.type.rawValue)"
        case .aggregate(_, let name, let key):
            let owner: Entity
            switch destination(of: name, in: entity, isToMany: true) {
            case .success(let found): owner = found
            case .failure(let reason): return reason.text
            }
            guard let source = self.attribute(key, of: owner) else { return "\(owner.name) has no attribute '\(key)'" }
            guard source.type.isNumber || source.type == .date else { return "\(owner.name).\(key) is not a number" }
            return attribute.type.isNumber || attribute.type == .date
                ? nil : "it is a number, not \(attribute.type.rawValue)"
        }
    }

    private struct Reason: Error {
        var text: String
    }

    private func destination(of name: String, in entity: Entity, isToMany: Bool) -> Result<Entity, Reason> {
        guard let relationship = entity.property(named: name)?.relationship else {
            return .failure(Reason(text: "\(entity.name) has no relationship '\(name)'"))
        }
        guard relationship.isToMany == isToMany else {
            return .failure(Reason(text: "\(entity.name).\(name) is \(isToMany ? "to-one" : "to-many")"))
        }
        guard let destination = self.entity(named: relationship.destination) else {
            return .failure(Reason(text: "the entity '\(relationship.destination)' does not exist"))
        }
        return .success(destination)
    }

    private func attribute(_ name: String, of entity: Entity) -> Attribute? {
        ([entity.name] + entity.subentities).lazy
            .compactMap { self.entity(named: $0)?.property(named: name)?.attribute }.first
    }
}

extension AttributeType {
    fileprivate var isFraction: Bool { self == .double || self == .float }

    fileprivate var isNumber: Bool { isInteger || isFraction || self == .decimal }
}

/// A derived attribute that cannot be computed.
public struct DerivationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The entity that declares the attribute.
    public var entity: String
    /// The derived attribute.
    public var attribute: String
    /// Its expression, as in the model.
    public var expression: String
    /// The problem, in words.
    public var reason: String

    /// The entity, the attribute, the expression and the problem.
    public var description: String {
        "\(entity).\(attribute) is derived by '\(expression)', which cannot be computed: \(reason)"
    }

    package static func text(of problems: [DerivationProblem]) -> String {
        problems.map(\.description).joined(separator: "; ") + "; " + understood
    }

    /// The expressions that a save can compute, in words.
    public static let understood = """
        understood are now(), NAME, TO_ONE.NAME, canonical:(…), lowercase:(…) and uppercase:(…) of either, \
        TO_MANY.@count, and TO_MANY.@sum.NAME, @min, @max, also written sum:(TO_MANY.NAME)
        """
}
