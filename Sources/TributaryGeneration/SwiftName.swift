/// Each character that an identifier cannot contain becomes `_`, and a taken name gets `_` appended.
package enum SwiftName {
    /// Includes names that keep a special meaning after a dot even in backticks.
    static let generatedMembers: Set<String> = [
        "keys", "Snapshot", "CodingKeys", "Object", "Protocol", "Self", "Type", "init", "self",
    ]

    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "any", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "each", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "some",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]

    package static func identifier(_ name: String, notIn taken: Set<String>) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            let isPart = scalar == "_" || scalar.properties.isXIDContinue
            result.unicodeScalars.append(isPart ? scalar : "_")
        }
        if let first = result.unicodeScalars.first, first != "_", !first.properties.isXIDStart { result = "_" + result }
        // A single underscore is not a valid name.
        if result.allSatisfy({ $0 == "_" }) { result = "_" + result + "name" }
        while taken.contains(result) { result += "_" }
        return result
    }

    package static func escaped(_ identifier: String) -> String {
        keywords.contains(identifier) ? "`\(identifier)`" : identifier
    }

    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    static func comment(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }
}
