package import TributaryChanges

extension Attribute {
    /// Returns the increment that assigning `new` to a counter means, so that the total becomes the assigned value when
    /// it was the old one exactly; nil when it adds nothing.
    package func increment(from old: PropertyValue, to new: PropertyValue) -> PropertyWrite? {
        let amount = old.isNull ? new : CounterTotals.difference(new.isNull ? .integer(0) : new, old)
        guard !amount.isNull, amount != .integer(0), amount != .double(0) else { return nil }
        return PropertyWrite(name: name, value: .object([JSONMember(key: "increment", value: amount.json)]))
    }
}
