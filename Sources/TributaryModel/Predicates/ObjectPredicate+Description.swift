import TributaryChanges

extension ObjectPredicate: CustomStringConvertible {
    /// The predicate in the format language; parsing the text gives an equal predicate.
    public var description: String {
        switch form {
        case .always(let answer): return answer ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let terms):
            return terms.isEmpty ? "TRUEPREDICATE" : terms.map(\.nestedDescription).joined(separator: " AND ")
        case .or(let terms):
            return terms.isEmpty ? "FALSEPREDICATE" : terms.map(\.nestedDescription).joined(separator: " OR ")
        case .not(let term): return "NOT (\(term))"
        case .comparison(let comparison): return comparison.description
        case .tooDeep(let depth): return ObjectPredicate.tooDeepText(depth)
        }
    }

    fileprivate static func tooDeepText(_ depth: Int) -> String { "<\(depth) levels>" }

    private var nestedDescription: String {
        switch form {
        case .and, .or: "(\(description))"
        case .always, .not, .comparison, .tooDeep: description
        }
    }
}

extension ObjectPredicate.Comparison: CustomStringConvertible {
    /// The comparison in the format language.
    public var description: String {
        var options = ""
        if isCaseInsensitive { options += "c" }
        if isDiacriticInsensitive { options += "d" }
        let operation = options.isEmpty ? operation.rawValue : "\(operation.rawValue)[\(options)]"
        let quantified = quantifier == .direct ? left.description : "\(quantifier.rawValue) \(left)"
        return "\(quantified) \(operation) \(right)"
    }
}

extension ObjectPredicate.Expression: CustomStringConvertible {
    /// The expression in the format language.
    public var description: String {
        switch form {
        case .constant(let value): return value.predicateText
        case .variable(let name): return "$\(name)"
        case .list(let values): return "{\(values.map(\.description).joined(separator: ", "))}"
        case .keyPath(let components):
            guard let first = components.first else { return "SELF" }
            // The parser reads an aggregate without a path only after SELF.
            return (first.hasPrefix("@") ? "SELF." : "") + Self.text(of: components)
        case .variablePath(let name, let components): return "$\(name).\(Self.text(of: components))"
        case .function(let function, let arguments): return function.text(of: arguments.map(\.description))
        case .subquery(let subquery):
            let call = "SUBQUERY(\(subquery.collection), $\(subquery.variable), \(subquery.predicate))"
            return subquery.path.isEmpty ? call : "\(call).\(Self.text(of: subquery.path))"
        case .tooDeep(let depth): return ObjectPredicate.tooDeepText(depth)
        }
    }

    private static func text(of components: [String]) -> String {
        components.map { component in
            PredicateParser.reservedWords.contains(component.uppercased()) ? "#\(component)" : component
        }.joined(separator: ".")
    }
}

extension PropertyValue {
    fileprivate var predicateText: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .double(let value): value.description
        case .date(let value): value.description
        case .boolean(let value): value ? "TRUE" : "FALSE"
        case .decimal(let text) where text.isLongNumber: text
        case .string(let text), .decimal(let text), .uri(let text), .composite(let text), .blob(let text, _):
            PropertyValue.quoted(text)
        case .uuid(let id), .reference(let id): PropertyValue.quoted(id.description)
        case .binary(let bytes): PropertyValue.quoted(Base64.encode(bytes))
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": result += "\\'"
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "'"
    }
}

extension String {
    fileprivate var isLongNumber: Bool {
        guard contains(where: { ".eE".contains($0) }), let value = Double(self), value.isFinite else { return false }
        return !PredicateLexer.keepsDigits(value, of: self)
    }
}
