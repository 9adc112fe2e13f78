package import TributaryChanges

extension Attribute {
    /// Returns the increment that the log has for assigning `new` to a counter, `{"increment":N}`; nil when it adds
    /// nothing.
    package func increment(from old: PropertyValue, to new: PropertyValue) -> PropertyWrite? {
        let amount: JSONValue
        switch (old, new) {
        case (.integer(let old), .integer(let new)): amount = .integer(new &- old)
        case (_, .integer(let new)): amount = .integer(new)
        case (.integer(let old), _): amount = .integer(0 &- old)
        case (.double(let old), .double(let new)): amount = .double(CounterTotals.increment(from: old, to: new))
        case (_, .double(let new)): amount = .double(new)
        case (.double(let old), _): amount = .double(-old)
        default: return nil
        }
        guard amount != .integer(0), amount != .double(0) else { return nil }
        return PropertyWrite(name: name, value: .object([JSONMember(key: "increment", value: amount)]))
    }
}
