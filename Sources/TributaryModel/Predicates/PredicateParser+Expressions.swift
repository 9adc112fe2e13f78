import TributaryChanges

extension PredicateParser {
    /// Parses an operand; powers bind stronger than products, and these stronger than sums.
    mutating func operand(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        var result = try product(depth: depth)
        var level = depth
        while case .symbol(let sign) = token.kind, sign == "+" || sign == "-" {
            level += 1
            try check(depth: level)
            try advance()
            result = .function(sign == "+" ? .add : .subtract, [result, try product(depth: depth + 1)])
        }
        return result
    }

    private mutating func product(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        var result = try power(depth: depth)
        var level = depth
        while case .symbol(let sign) = token.kind, sign == "*" || sign == "/" {
            level += 1
            try check(depth: level)
            try advance()
            result = .function(sign == "*" ? .multiply : .divide, [result, try power(depth: depth + 1)])
        }
        return result
    }

    private mutating func power(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try check(depth: depth)
        let base = try primary(depth: depth)
        guard try consume("**") else { return base }
        return .function(.power, [base, try power(depth: depth + 1)])
    }

    mutating func parenthesized(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try check(depth: depth)
        try advance()
        let inner = try operand(depth: depth)
        guard try consume(")") else { throw unexpected("')'") }
        return inner
    }

    /// Parses `$NAME`, or a path from it.
    mutating func variable(_ name: String) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        guard try consume(".") else {
            if boundVariables.contains(name) { return .variable(name) }
            return variables[name].map(\.expression) ?? .variable(name)
        }
        return .variablePath(name, try pathComponents())
    }

    /// Parses `abs:(x)`, also written `abs(x)`; nil when the token is no name of a function.
    mutating func function(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression? {
        guard case .word(let word, isEscaped: false) = token.kind else { return nil }
        var ahead = self
        try ahead.advance()
        var name = word.lowercased()
        if ahead.token.kind == .symbol(":") {
            name += ":"
            try ahead.advance()
            if case .word(let second, _) = ahead.token.kind {
                name += second.lowercased() + ":"
                try ahead.advance()
                guard try ahead.consume(":") else { throw ahead.unexpected("':'") }
            }
            guard ahead.token.kind == .symbol("(") else { throw ahead.unexpected("'('") }
        }
        guard ahead.token.kind == .symbol("(") else { return nil }
        let known = ObjectPredicate.Function.allCases.first {
            !PredicateParser.casts.contains($0) && ($0.rawValue == name || $0.rawValue == name + ":")
        }
        guard let function = known else { throw error("'\(word)' is no function that is known") }
        try check(depth: depth)
        self = ahead
        try advance()
        var arguments: [ObjectPredicate.Expression] = []
        if try !consume(")") {
            repeat { arguments.append(try operand(depth: depth)) } while try consume(",")
            guard try consume(")") else { throw unexpected("',' or ')'") }
        }
        guard arguments.count == function.argumentCount else {
            let wanted = function.argumentCount == 1 ? "1 argument" : "\(function.argumentCount) arguments"
            throw error("\(function.rawValue) takes \(wanted), not \(arguments.count)")
        }
        return .function(function, arguments)
    }

    private static let casts: [ObjectPredicate.Function] = [
        .castToNumber, .castToDecimal, .castToString, .castToDate,
    ]

    mutating func cast(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try check(depth: depth)
        try advance()
        guard try consume("(") else { throw unexpected("'('") }
        let value = try operand(depth: depth)
        guard try consume(",") else { throw unexpected("','") }
        guard case .string(let name) = token.kind, let function = ObjectPredicate.Function(rawValue: name),
            PredicateParser.casts.contains(function)
        else { throw unexpected("'NSNumber', 'NSDecimalNumber', 'NSString' or 'NSDate'") }
        try advance()
        guard try consume(")") else { throw unexpected("')'") }
        return .function(function, [value])
    }

    mutating func subquery(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try check(depth: depth)
        try advance()
        guard try consume("(") else { throw unexpected("'('") }
        let start = token.start
        let collection = try primary(depth: depth)
        switch collection.form {
        case .keyPath, .variablePath: break
        default: throw ObjectPredicateError("expected a to-many path", in: text, at: start)
        }
        guard try consume(",") else { throw unexpected("','") }
        guard case .variable(let name) = token.kind else { throw unexpected("a variable such as $x") }
        try advance()
        guard try consume(",") else { throw unexpected("','") }
        boundVariables.append(name)
        let predicate = try disjunction(depth: depth)
        boundVariables.removeLast()
        guard try consume(")") else { throw unexpected("')'") }
        let path = try consume(".") ? try pathComponents() : []
        return .subquery(ObjectPredicate.Subquery(collection, variable: name, where: predicate, path: path))
    }

    func check(depth: Int) throws(ObjectPredicateError) {
        guard depth <= PredicateParser.maximumDepth else {
            throw error("a predicate may nest \(PredicateParser.maximumDepth) deep")
        }
    }
}
