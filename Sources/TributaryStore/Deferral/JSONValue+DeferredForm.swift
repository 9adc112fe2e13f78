import TributaryChanges
import TributaryModel

extension JSONValue {
    /// One canonical text for all spellings of a value that wider or narrower types have.
    ///
    /// An Integer that became a Decimal and was then removed from the model is deferred as `"43"` by a store that had
    /// the property, as `43` by a store that never had it, and as `43.0` when it was a Double: all become `43`. The
    /// same holds for decimals and identifiers in any of their spellings, and for composites with and without null
    /// members. The digests of stores that have applied the same transactions then do not depend on the spelling of a
    /// value.
    var deferredForm: String {
        switch self {
        case .integer(let value): return String(value)
        case .double(let value): return DecimalText.canonical(value.description) ?? value.description
        case .number(let text): return DecimalText.canonical(text) ?? text
        case .string(let text):
            if let number = DecimalText.canonical(text) { return number }
            return JSONValue.string(UniqueID(text)?.description ?? text).text
        case .array(let values): return "[" + values.map(\.deferredForm).joined(separator: ",") + "]"
        case .object(let members):
            let texts =
                members.filter { $0.value != .null }
                .sorted { $0.key.precedesByBytes($1.key) }
                .map { "\(JSONValue.string($0.key).text):\($0.value.deferredForm)" }
            return "{" + texts.joined(separator: ",") + "}"
        case .null, .boolean, .unrepresentable: return text
        }
    }
}
