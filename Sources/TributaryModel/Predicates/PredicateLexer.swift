import TributaryChanges

struct PredicateLexer {
    private let text: String
    private var index: String.Index
    /// After a value, a minus sign is a subtraction.
    private var followsValue = false

    init(_ text: String) {
        self.text = text
        index = text.startIndex
    }

    /// The longer texts come first.
    private static let symbols: [String] = {
        let operators = ObjectPredicate.Operator.allCases.map(\.rawValue) + PredicateParser.otherSigns.keys
        let functions = ObjectPredicate.Function.allCases.map(\.rawValue)
        let punctuation = ["&&", "||", "!", "(", ")", "{", "}", "[", "]", ",", ".", ":"]
        return (operators + functions + punctuation).filter { !$0.contains(where: \.isLetter) }
            .sorted { $0.utf8.count > $1.utf8.count }
    }()

    mutating func next() throws(ObjectPredicateError) -> PredicateToken {
        while index < text.endIndex, text.unicodeScalars[index].properties.isWhitespace { advance() }
        let start = index
        let token = PredicateToken(kind: try read(from: start), start: start)
        followsValue = token.isValue
        return token
    }

    private mutating func read(from start: String.Index) throws(ObjectPredicateError) -> PredicateToken.Kind {
        guard let scalar = peek() else { return .end }
        switch scalar {
        case "'", "\"": return .string(try string(quote: scalar))
        case "0"..."9": return try number()
        case "-" where !followsValue && peek(1).map { ("0"..."9").contains($0) } == true: return try number()
        case "#": return .word(try name(after: "#"), isEscaped: true)
        case "$": return .variable(try name(after: "$"))
        case "@": return .aggregate(try name(after: "@"))
        case "%": return .placeholder(try placeholder())
        case _ where PredicateLexer.isNameStart(scalar): return .word(name(), isEscaped: false)
        default: break
        }
        for symbol in PredicateLexer.symbols where text.unicodeScalars[index...].starts(with: symbol.unicodeScalars) {
            for _ in symbol.unicodeScalars { advance() }
            return .symbol(symbol)
        }
        throw ObjectPredicateError(
            "the character '\(scalar.escaped(asASCII: false))' means nothing here",
            in: text,
            at: start
        )
    }

    private mutating func placeholder() throws(ObjectPredicateError) -> String {
        let start = index
        advance()
        let first = index
        if peek() == "@" || peek() == "K" {
            advance()
            return String(text[first..<index])
        }
        func skip(_ scalars: String) {
            while let scalar = peek(), scalars.unicodeScalars.contains(scalar) { advance() }
        }
        skip("-+0#")
        _ = skipDigits()
        if peek() == "." {
            advance()
            _ = skipDigits()
        }
        skip("hlqjztL")
        guard let conversion = peek(), "dDiuUxXocfFeEgGaA".unicodeScalars.contains(conversion) else {
            throw ObjectPredicateError("'%' must be followed by @, K, d or f", in: text, at: start)
        }
        advance()
        return String(text[first..<index])
    }

    // MARK: Names

    static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, isNameStart(first) else { return false }
        return text.unicodeScalars.allSatisfy(isNamePart)
    }

    private static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic
    }

    private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
        PredicateLexer.isNameStart(scalar) || scalar.properties.numericType != nil
            || scalar.properties.generalCategory == .nonspacingMark
    }

    private mutating func name() -> String {
        let start = index
        while let scalar = peek(), PredicateLexer.isNamePart(scalar) { advance() }
        return String(text[start..<index])
    }

    private mutating func name(after sign: String) throws(ObjectPredicateError) -> String {
        let start = index
        advance()
        guard let scalar = peek(), PredicateLexer.isNameStart(scalar) else {
            throw ObjectPredicateError("'\(sign)' must be followed by a name", in: text, at: start)
        }
        return name()
    }

    // MARK: Numbers

    private mutating func number() throws(ObjectPredicateError) -> PredicateToken.Kind {
        let start = index
        if peek() == "0", peek(1) == "x" || peek(1) == "X" { return try hexadecimalNumber() }
        if peek() == "-" { advance() }
        var isInteger = true
        guard skipDigits() else {
            throw ObjectPredicateError("'-' must be followed by a number", in: text, at: start)
        }
        if peek() == ".", let next = peek(1), ("0"..."9").contains(next) {
            isInteger = false
            advance()
            _ = skipDigits()
        }
        if peek() == "e" || peek() == "E" {
            let before = index
            advance()
            if peek() == "+" || peek() == "-" { advance() }
            if skipDigits() { isInteger = false } else { index = before }
        }
        if let scalar = peek(), PredicateLexer.isNameStart(scalar) {
            throw ObjectPredicateError("a number must not be followed by a letter", in: text, at: index)
        }
        let digits = String(text[start..<index])
        if isInteger, let value = Int64(digits) { return .integer(value) }
        guard !isInteger, let value = Double(digits), value.isFinite else {
            throw ObjectPredicateError("the number is out of range", in: text, at: start)
        }
        return PredicateLexer.keepsDigits(value, of: digits) ? .double(value) : .decimal(digits)
    }

    static func keepsDigits(_ value: Double, of text: String) -> Bool {
        guard let exact = DecimalText.canonical(text) else { return true }
        return DecimalText.canonical(value.description) == exact
    }

    private mutating func hexadecimalNumber() throws(ObjectPredicateError) -> PredicateToken.Kind {
        let start = index
        advance()
        advance()
        let digits = index
        while let scalar = peek(), PredicateLexer.isNamePart(scalar) { advance() }
        guard let value = Int64(text[digits..<index], radix: 16) else {
            throw ObjectPredicateError("a hexadecimal number of up to 63 bits was expected", in: text, at: start)
        }
        return .integer(value)
    }

    private mutating func skipDigits() -> Bool {
        let start = index
        while let scalar = peek(), ("0"..."9").contains(scalar) { advance() }
        return index > start
    }

    // MARK: Strings

    private mutating func string(quote: Unicode.Scalar) throws(ObjectPredicateError) -> String {
        let start = index
        advance()
        var result = String.UnicodeScalarView()
        while let scalar = peek() {
            let start = index
            advance()
            if scalar == quote { return String(result) }
            result.append(scalar == "\\" ? try escape(at: start) : scalar)
        }
        throw ObjectPredicateError("the string is not closed", in: text, at: start)
    }

    private mutating func escape(at start: String.Index) throws(ObjectPredicateError) -> Unicode.Scalar {
        guard let scalar = peek() else { throw ObjectPredicateError("the string is not closed", in: text, at: start) }
        advance()
        switch scalar {
        case "\\", "'", "\"": return scalar
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            if let first = hexadecimal(), let scalar = joined(first) { return scalar }
            throw ObjectPredicateError("\\u must be followed by the four digits of a character", in: text, at: start)
        default:
            throw ObjectPredicateError("unknown escape; a backslash is written \\\\", in: text, at: start)
        }
    }

    private mutating func joined(_ first: UInt32) -> Unicode.Scalar? {
        guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
        guard peek() == "\\", peek(1) == "u" else { return nil }
        advance()
        advance()
        guard let second = hexadecimal(), (0xDC00..<0xE000).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func hexadecimal() -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = peek(), scalar.isASCII, let digit = Character(scalar).hexDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
            advance()
        }
        return value
    }

    // MARK: Reading

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        guard let target = scalars.index(index, offsetBy: distance, limitedBy: scalars.endIndex),
            target < scalars.endIndex
        else { return nil }
        return scalars[target]
    }

    private mutating func advance() { index = text.unicodeScalars.index(after: index) }
}

struct PredicateToken: Hashable {
    enum Kind: Hashable {
        /// `#name` is never a keyword.
        case word(String, isEscaped: Bool)
        case string(String)
        case integer(Int64)
        case double(Double)
        case decimal(String)
        case variable(String)
        /// `%@`, `%K`, `%d` and their like, without the percent sign.
        case placeholder(String)
        case aggregate(String)
        case symbol(String)
        case end
    }

    var kind: Kind
    var start: String.Index

    var isValue: Bool {
        switch kind {
        case .word(let text, let isEscaped):
            isEscaped || !PredicateParser.reservedWords.contains(text.uppercased()) || text.uppercased() == "SELF"
                || PredicateParser.constants[text.uppercased()] != nil
        case .string, .integer, .double, .decimal, .variable, .placeholder, .aggregate: true
        case .symbol(let text): text == ")" || text == "}"
        case .end: false
        }
    }

    var words: String {
        switch kind {
        case .word(let text, _): "'\(text)'"
        case .string: "a string"
        case .integer, .double, .decimal: "a number"
        case .variable(let name): "'$\(name)'"
        case .placeholder(let text): "'%\(text)'"
        case .aggregate(let text): "'@\(text)'"
        case .symbol(let text): "'\(text)'"
        case .end: "the end"
        }
    }
}
