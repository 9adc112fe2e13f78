import TributaryChanges
import TributaryModel

extension JSONValue {
    /// One text for all the ways to write a value that a wider or narrower type has.
    ///
    /// An Integer that became a Decimal and was then taken out of the model is deferred as `"43"` by a store that had it, as
    /// `43` by one that never did, and as `43.0` when it was a Double: all are `43`. So are decimals and identifiers in any
    /// of their spellings, and composites with and without members that are null. Values
    /// that differ in nothing but their spelling need not differ in a digest of stores that have applied the same transactions.
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
                .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { "\(JSONValue.string($0.key).text):\($0.value.deferredForm)" }
            return "{" + texts.joined(separator: ",") + "}"
        case .null, .boolean, .unrepresentable: return text
        }
    }
}
