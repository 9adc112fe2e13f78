import Yams

struct SettingSyntax<Value: Hashable & Sendable>: Sendable {
    /// The type of a scalar in YAML, which must match: `name: no` is refused, since `no` is a boolean.
    enum Scalar {
        case text
        case quantity
        case integer
        case boolean

        var tag: Tag {
            switch self {
            case .text, .quantity: Tag(.str)
            case .integer: Tag(.int)
            case .boolean: Tag(.bool)
            }
        }
    }

    /// The form that a value must have, as the end of an error: "must be …".
    let expectation: String
    var scalar = Scalar.text
    /// The value of YAML's null; nil when null is refused.
    var null: Value?
    /// Returns the value of a list of texts; nil when a list is refused.
    var list: (@Sendable ([String]) -> Value)?
    /// Parses a text, and completes a relative path with the folder; nil when the text is not as expected.
    let parse: @Sendable (_ text: String, _ folder: String) -> Value?
    let text: @Sendable (Value) -> String?

    func value(of entry: ConfigurationEntry, for key: String) throws(ConfigurationError) -> Value {
        func refusal(_ reason: String) -> ConfigurationError {
            ConfigurationError(reason: reason, key: key, origin: entry.origin)
        }
        let text: String
        switch entry.written {
        case .text(let written):
            text = written
        case .node(.sequence(let sequence)):
            guard let list else { throw refusal("must be one value, \(expectation)") }
            var texts: [String] = []
            for node in sequence {
                guard case .scalar(let scalar) = node, node.tag == Tag(.str) else {
                    throw refusal(
                        "must be a list of group names; put names that YAML takes for something else in quotes"
                    )
                }
                texts.append(scalar.string)
            }
            return list(texts)
        case .node(let node):
            guard case .scalar(let scalar) = node else { throw refusal("must be one value, \(expectation)") }
            if node.tag == Tag(.null) || scalar.string.isEmpty && scalar.style == .plain {
                guard let null else { throw refusal("has no value; it must be \(expectation)") }
                return null
            }
            guard node.tag == self.scalar.tag else { throw refusal(wrongType(scalar.string)) }
            text = scalar.string
        }
        guard let value = parse(text, entry.folder) else { throw refusal("must be \(expectation), not '\(text)'") }
        return value
    }

    private func wrongType(_ text: String) -> String {
        switch scalar {
        case .text: "must be text; put '\(text)' in quotes if it is meant as text"
        case .quantity: "must be \(expectation), not '\(text)': a unit is missing"
        case .integer, .boolean: "must be \(expectation), not '\(text)'"
        }
    }
}
