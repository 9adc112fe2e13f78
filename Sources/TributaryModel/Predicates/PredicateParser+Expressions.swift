import TributaryChanges

extension PredicateParser {
    /// Signs of later groups bind stronger, and powers bind strongest.
    private static let signs: [[ObjectPredicate.Function]] = [[.add, .subtract], [.multiply, .divide]]

    mutating func operand(
        depth: Int,
        signsFrom first: Int = 0
    ) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        guard first < PredicateParser.signs.count else { return try power(depth: depth) }
        var result = try operand(depth: depth, signsFrom: first + 1)
        var level = depth
        while let function = PredicateParser.signs[first].first(where: { token.kind == .symbol($0.rawValue) }) {
            // Each sign puts the operand on its left one level deeper.
            level += 1
            try check(depth: level)
            try advance()
            result = .function(function, [result, try operand(depth: depth + 1, signsFrom: first + 1)])
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
        try expect(")")
        return inner
    }

    mutating func variable(_ name: String) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        guard try consume(".") else {
            if boundVariables.contains(name) { return .variable(name) }
            return variables[name].map(\.expression) ?? .variable(name)
        }
        return .variablePath(name, try pathComponents())
    }

    /// Parses `abs:(x)`, also written `abs(x)`; nil when the token does not name a function.
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
            !$0.isCast && ($0.rawValue == name || $0.rawValue == name + ":")
        }
        guard let function = known else { throw error("the function '\(word)' is not known") }
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

    mutating func cast(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try check(depth: depth)
        try advance()
        try expect("(")
        let value = try operand(depth: depth)
        try expect(",")
        guard case .string(let name) = token.kind, let function = ObjectPredicate.Function(rawValue: name),
            function.isCast
        else { throw unexpected("'NSNumber', 'NSDecimalNumber', 'NSString' or 'NSDate'") }
        try advance()
        try expect(")")
        return .function(function, [value])
    }

    mutating func subquery(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try check(depth: depth)
        try advance()
        try expect("(")
        let start = token.start
        let collection = try primary(depth: depth)
        switch collection.form {
        case .keyPath, .variablePath: break
        default: throw ObjectPredicateError("expected a to-many path", in: text, at: start)
        }
        try expect(",")
        guard case .variable(let name) = token.kind else { throw unexpected("a variable such as $x") }
        try advance()
        try expect(",")
        boundVariables.append(name)
        let predicate = try disjunction(depth: depth)
        boundVariables.removeLast()
        try expect(")")
        let path = try consume(".") ? try pathComponents() : []
        return .subquery(ObjectPredicate.Subquery(collection, variable: name, where: predicate, path: path))
    }

    func check(depth: Int) throws(ObjectPredicateError) {
        guard depth <= PredicateParser.maximumDepth else {
            throw error("a predicate may nest \(PredicateParser.maximumDepth) deep")
        }
    }

    mutating func primary(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        let start = token.start
        switch token.kind {
        case .string(let text): return try constant(.string(text))
        case .integer(let value): return try constant(.integer(value))
        case .double(let value): return try constant(.double(value))
        case .decimal(let text): return try constant(.decimal(text))
        case .variable(let name):
            try advance()
            return try variable(name)
        case .placeholder("K"): return .keyPath(try pathComponents())
        case .placeholder(let kind):
            try advance()
            return try argument(for: kind, at: start)
        case .symbol("{"): return try list(depth: depth + 1)
        case .symbol("("): return try parenthesized(depth: depth + 1)
        case .symbol("-"):
            try check(depth: depth + 1)
            try advance()
            return .function(.subtract, [.constant(.integer(0)), try primary(depth: depth + 1)])
        case .word(let word, let isEscaped):
            guard !isEscaped else { return .keyPath(try pathComponents()) }
            if let value = PredicateParser.constants[word.uppercased()] { return try constant(value) }
            switch word.uppercased() {
            case "SUBQUERY": return try subquery(depth: depth + 1)
            case "CAST": return try cast(depth: depth + 1)
            case let word where PredicateParser.unsupported.contains(word):
                throw error("\(word) is not supported")
            case let word where word != "SELF" && PredicateParser.reservedWords.contains(word):
                throw error("expected a value or a property; a property of this name is written #\(word.lowercased())")
            default:
                if let function = try function(depth: depth + 1) { return function }
                return .keyPath(try pathComponents())
            }
        default: throw unexpected("a value or a property")
        }
    }

    private mutating func constant(_ value: PropertyValue) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try advance()
        return .constant(value)
    }

    private mutating func list(depth: Int) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        try check(depth: depth)
        try advance()
        var values: [ObjectPredicate.Expression] = []
        if try consume("}") { return .list([]) }
        while true {
            let start = token.start
            let value = try operand(depth: depth)
            if case .list = value.form { throw ObjectPredicateError("a list cannot hold a list", in: text, at: start) }
            values.append(value)
            if try consume("}") { return .list(values) }
            guard try consume(",") else { throw unexpected("',' or '}'") }
        }
    }

    mutating func pathComponents() throws(ObjectPredicateError) -> [String] {
        var components: [String] = []
        while true {
            switch token.kind {
            case .word(let word, isEscaped: false) where components.isEmpty && word.uppercased() == "SELF":
                try advance()
                guard try consume(".") else { return [] }
                continue
            case .word(let word, _): components.append(word)
            case .placeholder("K"): components += try keyPathArgument()
            case .aggregate(let name):
                guard ObjectPredicate.Aggregate(rawValue: name) != nil else {
                    throw error("@\(name) is not supported; @count, @sum, @min, @max and @avg are")
                }
                guard !components.contains(where: { $0.hasPrefix("@") }) else {
                    throw error("a path can have one aggregate only")
                }
                components.append("@\(name)")
                if name == "count" {
                    try advance()
                    return components
                }
            default: throw unexpected("the name of a property")
            }
            try advance()
            guard try consume(".") else { return components }
        }
    }

    private mutating func argument(
        for placeholder: String,
        at start: String.Index
    ) throws(ObjectPredicateError) -> ObjectPredicate.Expression {
        guard let argument = arguments.popFirst() else {
            throw ObjectPredicateError("'%\(placeholder)' has no argument", in: text, at: start)
        }
        // Width and precision have no effect: an argument is never formatted.
        let isFraction = placeholder.last.map { "fFeEgGaA".contains($0) } == true
        switch (placeholder, argument) {
        case ("@", _): return argument.expression
        case (_, .value(.double)) where isFraction: return argument.expression
        case (_, .value(.integer(let value))): return .constant(isFraction ? .double(Double(value)) : .integer(value))
        case (_, .value(.decimal(let text))) where isFraction || !text.contains("."): return argument.expression
        case (_, .value(.boolean(let flag))) where !isFraction: return .constant(.integer(flag ? 1 : 0))
        default:
            throw ObjectPredicateError(
                "the argument for '%\(placeholder)' is not a number that fits it",
                in: text,
                at: start
            )
        }
    }

    private mutating func keyPathArgument() throws(ObjectPredicateError) -> [String] {
        guard let argument = arguments.popFirst() else { throw error("'%K' has no argument") }
        guard case .value(.string(let path)) = argument else { throw error("'%K' takes a key path, a string") }
        let components = path.keyPathComponents
        guard components.allSatisfy({ !$0.isEmpty }) else { throw error("'\(path)' is not a key path") }
        return components
    }
}

extension PredicateArgument {
    var expression: ObjectPredicate.Expression {
        switch self {
        case .value(let value): .constant(value)
        case .list(let values): .list(values.map { .constant($0) })
        }
    }
}
