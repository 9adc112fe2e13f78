import TributaryModel

/// The computation of a derived attribute, as an expression of the model editor.
enum Derivation: Hashable, Sendable {
    enum Aggregate: String, Sendable { case sum, min, max }

    /// `now()`: the time of the save that changed the object.
    case now
    /// `name`, or `department.name` with the property index of the to-one relationship.
    case value(through: String?, attribute: String, ObjectPredicate.Function?)
    case count(relationship: String)
    /// `employees.@sum.salary`, also written `sum:(employees.salary)`.
    case aggregate(Aggregate, relationship: String, attribute: String)

    /// Parses an expression; nil when it is not supported.
    init?(_ expression: String) {
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

    /// The relationship that the expression reads; nil when it reads the object alone.
    var relationship: String? {
        switch self {
        case .now: nil
        case .value(let relationship, _, _): relationship
        case .count(let relationship), .aggregate(_, let relationship, _): relationship
        }
    }
}
