import TributaryChanges

struct PredicateParser {
    static let maximumBytes = 16 * 1024
    static let maximumDepth = 64

    let text: String
    let variables: [String: PredicateArgument]
    var arguments: ArraySlice<PredicateArgument>
    var boundVariables: [String] = []
    private var lexer: PredicateLexer
    private(set) var token: PredicateToken
    /// The starts of parentheses that contain operands; nil until the first parenthesis.
    private var operands: Set<String.Index>?

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
            throw ObjectPredicateError("there are \(arguments.count) arguments more than placeholders")
        }
        if case .tooDeep(let depth) = predicate.form { throw ObjectPredicateError(depth: depth) }
        return predicate
    }

    // MARK: Logic

    mutating func disjunction(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate {
        var terms = [try conjunction(depth: depth)]
        while try consume("OR", or: "||") { terms.append(try conjunction(depth: depth)) }
        return terms.count == 1 ? terms[0] : .or(terms)
    }

    private mutating func conjunction(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate {
        var terms = [try negation(depth: depth)]
        while try consume("AND", or: "&&") { terms.append(try negation(depth: depth)) }
        return terms.count == 1 ? terms[0] : .and(terms)
    }

    private mutating func negation(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate {
        try check(depth: depth)
        if try consume("NOT", or: "!") { return .not(try negation(depth: depth + 1)) }
        if !isExpressionInParentheses(), try consume("(") {
            let inner = try disjunction(depth: depth + 1)
            try expect(")")
            return inner
        }
        if try consume("TRUEPREDICATE") { return .always(true) }
        if try consume("FALSEPREDICATE") { return .always(false) }
        return try comparison(depth: depth)
    }

    // MARK: Comparisons

    private mutating func comparison(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate {
        let quantifier = try parseQuantifier()
        let left = try operand(depth: depth)
        let operation = try parseOperator()
        let options = try parseOptions()
        let start = token.start
        let right = try operand(depth: depth)
        if operation == .between, case .list(let bounds) = right.form, bounds.count != 2 {
            throw ObjectPredicateError("BETWEEN takes two bounds", in: text, at: start)
        }
        return .comparison(
            left,
            operation,
            right,
            caseInsensitive: options.contains("c"),
            diacriticInsensitive: options.contains("d"),
            quantifier: quantifier
        )
    }

    private mutating func parseQuantifier() throws(ObjectPredicateError) -> ObjectPredicate.Quantifier {
        for (word, quantifier) in PredicateParser.quantifiers where try consume(word) { return quantifier }
        return .direct
    }

    private mutating func parseOperator() throws(ObjectPredicateError) -> ObjectPredicate.Operator {
        var found: ObjectPredicate.Operator?
        switch token.kind {
        case .symbol(let text): found = PredicateParser.otherSigns[text] ?? ObjectPredicate.Operator(rawValue: text)
        case .word(let text, isEscaped: false): found = ObjectPredicate.Operator(rawValue: text.uppercased())
        default: break
        }
        guard let found else { throw unexpected("an operator such as ==, <, IN or CONTAINS") }
        try advance()
        return found
    }

    private mutating func parseOptions() throws(ObjectPredicateError) -> String {
        guard try consume("[") else { return "" }
        guard case .word(let word, isEscaped: false) = token.kind,
            word.lowercased().allSatisfy({ "cdnl".contains($0) })
        else { throw unexpected("c, d, n, l or several of them") }
        try advance()
        try expect("]")
        return word.lowercased()
    }

    // MARK: Words

    private static let quantifiers: [(String, ObjectPredicate.Quantifier)] = [
        ("ANY", .any), ("SOME", .any), ("ALL", .all), ("NONE", .none),
    ]

    static let constants: [String: PropertyValue] = [
        "TRUE": .boolean(true), "YES": .boolean(true), "FALSE": .boolean(false), "NO": .boolean(false), "NULL": .null,
        "NIL": .null,
    ]

    static let otherSigns: [String: ObjectPredicate.Operator] = [
        "=": .equal, "<>": .notEqual, "=<": .lessOrEqual, "=>": .greaterOrEqual,
    ]

    static let unsupported: Set<String> = ["FUNCTION", "TERNARY"]

    /// A property with such a name needs a `#` before it.
    static let reservedWords: Set<String> = unsupported.union(ObjectPredicate.Operator.allCases.map(\.rawValue))
        .union(quantifiers.map(\.0)).union(constants.keys)
        .union(["AND", "OR", "NOT", "SELF", "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY", "CAST"])

    mutating func consume(_ wanted: String, or symbol: String? = nil) throws(ObjectPredicateError) -> Bool {
        switch token.kind {
        case .word(let text, isEscaped: false) where text.uppercased() == wanted: break
        case .symbol(let text) where text == wanted || text == symbol: break
        default: return false
        }
        try advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(ObjectPredicateError) {
        guard try consume(symbol) else { throw unexpected("'\(symbol)'") }
    }

    private mutating func isExpressionInParentheses() -> Bool {
        guard token.kind == .symbol("(") else { return false }
        let known = operands ?? PredicateParser.parenthesizedOperands(in: text)
        operands = known
        return known.contains(token.start)
    }

    /// Finds parentheses that are operands: an operator follows the closing parenthesis; O(n), whatever is nested.
    private static func parenthesizedOperands(in text: String) -> Set<String.Index> {
        var lexer = PredicateLexer(text)
        var (open, found) = ([String.Index](), Set<String.Index>())
        var closed: String.Index?
        while let next = try? lexer.next(), next.kind != .end {
            if let closed, isBetweenOperands(next.kind) { found.insert(closed) }
            closed = next.kind == .symbol(")") ? open.popLast() : nil
            if next.kind == .symbol("(") { open.append(next.start) }
        }
        return found
    }

    private static func isBetweenOperands(_ token: PredicateToken.Kind) -> Bool {
        switch token {
        case .symbol(let text): !["&&", "||", ")", ",", "}", "]", "!", "(", "."].contains(text)
        case .word(let text, isEscaped: false): ObjectPredicate.Operator(rawValue: text.uppercased()) != nil
        default: false
        }
    }

    mutating func advance() throws(ObjectPredicateError) { token = try lexer.next() }

    func error(_ reason: String) -> ObjectPredicateError {
        ObjectPredicateError(reason, in: text, at: token.start)
    }

    func unexpected(_ wanted: String) -> ObjectPredicateError {
        error("expected \(wanted), found \(token.words)")
    }
}

extension ObjectPredicate {
    /// Reads a predicate in the format language of NSPredicate.
    ///
    /// ```swift
    /// try ObjectPredicate(parsing: "name LIKE[cd] 'an*' AND NOT (ANY projects.title IN {'A', 'B'})")
    /// try ObjectPredicate(parsing: "%K >= %@ AND department == $DEPARTMENT", arguments: ["salary", 1000])
    /// ```
    ///
    /// - Parameters:
    ///   - text: The predicate: up to 16 KiB, nesting up to 64 deep.
    ///   - arguments: The values for `%@`, `%K`, `%d` and `%f`, in their order.
    ///   - variables: The values for `$NAME`; other variables remain, for ``substituting(_:)``.
    /// - Throws: ``ObjectPredicateError`` with the position in the text.
    public init(
        parsing text: String,
        arguments: [PredicateArgument] = [],
        variables: [String: PredicateArgument] = [:]
    ) throws(ObjectPredicateError) {
        var parser = try PredicateParser(text, arguments: arguments, variables: variables)
        self = try parser.parse()
    }

    /// Reads a predicate in the format language of NSPredicate, with any Swift values as its arguments.
    ///
    /// ```swift
    /// try ObjectPredicate(parsing: "%K >= %@ AND department IN %@", "salary", lowest, departments)
    /// ```
    ///
    /// - Parameters:
    ///   - text: The predicate: up to 16 KiB, nesting up to 64 deep.
    ///   - first: The value for the first `%@`, `%K`, `%d` or `%f`.
    ///   - rest: The values for the others, in their order.
    /// - Throws: ``ObjectPredicateError`` with the position in the text.
    public init(
        parsing text: String,
        _ first: any PredicateArgumentConvertible,
        _ rest: any PredicateArgumentConvertible...
    ) throws(ObjectPredicateError) {
        let arguments = [first.predicateArgument] + rest.map { $0.predicateArgument }
        try self.init(parsing: text, arguments: arguments)
    }

    /// Returns the predicate with values for its `$VARIABLES`; variables without a value remain.
    public func substituting(_ variables: [String: PredicateArgument]) -> ObjectPredicate {
        replacing { expression, boundVariables in
            guard case .variable(let name) = expression.form, !boundVariables.contains(name) else { return nil }
            return variables[name]?.expression
        }
    }
}
