struct PredicateToken: Hashable {
    enum Kind: Hashable {
        /// A name or a keyword; `#name` is never a keyword.
        case word(String, isEscaped: Bool)
        case string(String)
        case integer(Int64)
        case double(Double)
        /// A number with more digits than a double can represent.
        case decimal(String)
        case variable(String)
        /// `%@`, `%K`, `%d` and their like, without the percent sign.
        case placeholder(String)
        /// `@count`, without the at sign.
        case aggregate(String)
        case symbol(String)
        case end
    }

    var kind: Kind
    var start: String.Index

    /// Whether an operator can follow the token.
    var isValue: Bool {
        switch kind {
        case .word(let text, let isEscaped):
            isEscaped || !PredicateParser.reservedWords.contains(text.uppercased())
                || ["SELF", "TRUE", "YES", "FALSE", "NO", "NULL", "NIL"].contains(text.uppercased())
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
