import TributaryChanges

/// Reads the NSPredicate format language by recursive descent: OR, then AND, then NOT, then a comparison.
struct PredicateParser {
    static let maximumBytes = 16 * 1024
    static let maximumDepth = 64

    private let text: String
    private let variables: [String: PredicateArgument]
    private var arguments: ArraySlice<PredicateArgument>
    private var lexer: PredicateLexer
    private var token: PredicateToken

    init(
        _ text: String,
        arguments: [PredicateArgument],
        variables: [String: PredicateArgument]
    ) throws(ObjectPredicateError) {
        guard text.utf8.count <= PredicateParser.maximumBytes else {
            throw ObjectPredicateError("a predicate may have 16 KiB, this one has \(text.utf8.count) bytes")
        }
        self.text = text
        self.arguments = arguments[...]
        self.variables = variables
        lexer = PredicateLexer(text)
        token = try lexer.next()
    }

    mutating func parse() throws(ObjectPredicateError) -> ObjectPredicate {
        let predicate = try disjunction(depth: 1)
        guard token.kind == .end else { throw unexpected("AND, OR or the end") }
        guard arguments.isEmpty else {
            throw ObjectPredicateError("there are \(arguments.count) arguments more than places for them")
        }
        return predicate
    }

    // MARK: Logic

    private mutating func disjunction(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate {
        var terms = [try conjunction(depth: depth)]
        while try take("OR", or: "||") { terms.append(try conjunction(depth: depth)) }
        return terms.count == 1 ? terms[0] : .or(terms)
    }

    private mutating func conjunction(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate {
        var terms = [try negation(depth: depth)]
        while try take("AND", or: "&&") { terms.append(try negation(depth: depth)) }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    private mutating func negation(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate {
        guard depth <= PredicateParser.maximumDepth else {
            throw error("a predicate may nest \(PredicateParser.maximumDepth) deep")
        }
        if try take("NOT", or: "!") { return .not(try negation(depth: depth + 1)) }
        if try take("(") {
            let inner = try disjunction(depth: depth + 1)
            guard try take(")") else { throw unexpected("')'") }
            return inner
        }
        if try take("TRUEPREDICATE") { return .always(true) }
        if try take("FALSEPREDICATE") { return .always(false) }
        return try comparison(depth: depth)
    }

    // MARK: Comparisons

    private mutating func comparison(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate {
        let quantifier = try takeQuantifier()
        let left = try operand(depth: depth)
        let operation = try takeOperator()
        let options = try takeOptions()
        let place = token.start
        let right = try operand(depth: depth)
        if operation == .between, case .list(let bounds) = right, bounds.count != 2 {
            throw ObjectPredicateError("BETWEEN takes two bounds", in: text, at: place)
        }
        return .comparison(
            ObjectPredicate.Comparison(
                left,
                operation,
                right,
                caseInsensitive: options.contains("c"),
                diacriticInsensitive: options.contains("d"),
                quantifier: quantifier
            )
        )
    }

    private mutating func takeQuantifier() throws(ObjectPredicateError) -> ObjectPredicate.Quantifier {
        for (word, quantifier) in PredicateParser.quantifiers where try take(word) { return quantifier }
        return .direct
    }

    private mutating func takeOperator() throws(ObjectPredicateError) -> ObjectPredicate.Operator {
        var found: ObjectPredicate.Operator?
        switch token.kind {
        case .symbol("="): found = .equal
        case .symbol("<>"): found = .notEqual
        case .symbol("=<"): found = .lessOrEqual
        case .symbol("=>"): found = .greaterOrEqual
        case .symbol(let text): found = ObjectPredicate.Operator(rawValue: text)
        case .word(let text, isEscaped: false): found = ObjectPredicate.Operator(rawValue: text.uppercased())
        default: break
        }
        guard let found else { throw unexpected("an operator such as ==, <, IN or CONTAINS") }
        try advance()
        return found
    }

    private mutating func takeOptions() throws(ObjectPredicateError) -> String {
        guard try take("[") else { return "" }
        guard case .word(let word, isEscaped: false) = token.kind,
            word.lowercased().allSatisfy({ $0 == "c" || $0 == "d" })
        else { throw unexpected("c, d or cd") }
        try advance()
        guard try take("]") else { throw unexpected("']'") }
        return word.lowercased()
    }

    // MARK: Operands

    private mutating func operand(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        let place = token.start
        switch token.kind {
        case .string(let text): return try constant(.string(text))
        case .integer(let value): return try constant(.integer(value))
        case .double(let value): return try constant(.double(value))
        case .variable(let name):
            try advance()
            return variables[name].map(\.expression) ?? .variable(name)
        case .placeholder(let kind):
            try advance()
            return try argument(for: kind, at: place)
        case .symbol("{"): return try list(depth: depth + 1)
        case .word(let word, let isEscaped):
            guard !isEscaped else { return try keyPath() }
            switch word.uppercased() {
            case "TRUE", "YES": return try constant(.boolean(true))
            case "FALSE", "NO": return try constant(.boolean(false))
            case "NULL", "NIL": return try constant(.null)
            case let word where PredicateParser.unsupported.contains(word):
                throw error("\(word) is not supported")
            case let word where word != "SELF" && PredicateParser.reservedWords.contains(word):
                throw error("expected a value or a property; a property of this name is written #\(word.lowercased())")
            default: return try keyPath()
            }
        default: throw unexpected("a value or a property")
        }
    }

    private mutating func constant(_ value: PropertyValue) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try advance()
        return .constant(value)
    }

    private mutating func list(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        guard depth <= PredicateParser.maximumDepth else {
            throw error("a predicate may nest \(PredicateParser.maximumDepth) deep")
        }
        try advance()
        var values: [ObjectPredicate.Expression] = []
        if try take("}") { return .list([]) }
        while true {
            let place = token.start
            let value = try operand(depth: depth)
            if case .list = value { throw ObjectPredicateError("a list cannot hold a list", in: text, at: place) }
            values.append(value)
            if try take("}") { return .list(values) }
            guard try take(",") else { throw unexpected("',' or '}'") }
        }
    }

    private mutating func keyPath() throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        var components: [String] = []
        while true {
            switch token.kind {
            case .word(let word, isEscaped: false) where components.isEmpty && word.uppercased() == "SELF":
                try advance()
                guard try take(".") else { return .keyPath([]) }
                continue
            case .word(let word, _): components.append(word)
            case .aggregate("count"):
                try advance()
                return .keyPath(components + ["@count"])
            case .aggregate(let name): throw error("@\(name) is not supported; only @count is")
            default: throw unexpected("the name of a property")
            }
            try advance()
            guard try take(".") else { return .keyPath(components) }
        }
    }

    private mutating func argument(
        for placeholder: String,
        at place: String.Index
    ) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        guard let argument = arguments.popFirst() else {
            throw ObjectPredicateError("there is no argument for '%\(placeholder)'", in: text, at: place)
        }
        switch (placeholder, argument) {
        case ("@", _): return argument.expression
        case ("K", .value(.string(let path))): return .keyPath(try components(of: path, at: place))
        case ("K", _): throw ObjectPredicateError("'%K' takes a key path, a string", in: text, at: place)
        case ("f", .value(.double)), ("lf", .value(.double)), ("g", .value(.double)), ("e", .value(.double)):
            return argument.expression
        case (_, .value(.integer(let value))):
            return .constant(placeholder.contains { "fge".contains($0) } ? .double(Double(value)) : .integer(value))
        default: throw ObjectPredicateError("the argument for '%\(placeholder)' is no such number", in: text, at: place)
        }
    }

    private func components(of path: String, at place: String.Index) throws(ObjectPredicateError) -> [String] {
        if path == "SELF" { return [] }
        let components = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard components.allSatisfy({ !$0.isEmpty }) else {
            throw ObjectPredicateError("'\(path)' is no key path", in: text, at: place)
        }
        return components
    }

    // MARK: Words

    private static let quantifiers: [(String, ObjectPredicate.Quantifier)] = [
        ("ANY", .any), ("SOME", .any), ("ALL", .all), ("NONE", .none),
    ]

    private static let unsupported: Set<String> = ["SUBQUERY", "FUNCTION", "CAST", "TERNARY"]

    /// Words that cannot be the name of a property unless a `#` stands before them.
    static let reservedWords: Set<String> = Set(ObjectPredicate.Operator.allCases.map(\.rawValue)).union([
        "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "TRUE", "YES", "FALSE", "NO", "NULL", "NIL", "SELF",
        "TRUEPREDICATE", "FALSEPREDICATE",
    ]).union(unsupported)

    /// Goes on when the token is the given keyword or symbol.
    private mutating func take(_ wanted: String, or symbol: String? = nil) throws(ObjectPredicateError) -> Bool {
        switch token.kind {
        case .word(let text, isEscaped: false) where text.uppercased() == wanted: break
        case .symbol(let text) where text == wanted || text == symbol: break
        default: return false
        }
        try advance()
        return true
    }

    private mutating func advance() throws(ObjectPredicateError) { token = try lexer.next() }

    private func error(_ reason: String) -> ObjectPredicateError {
        ObjectPredicateError(reason, in: text, at: token.start)
    }

    private func unexpected(_ wanted: String) -> ObjectPredicateError {
        error("expected \(wanted), found \(token.words)")
    }
}

extension PredicateArgument {
    /// The argument as a part of the tree.
    var expression: ObjectPredicate.Expression {
        switch self {
        case .value(let value): .constant(value)
        case .list(let values): .list(values.map { .constant($0) })
        }
    }
}
