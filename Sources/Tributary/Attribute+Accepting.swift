import TributaryChanges
import TributaryModel

extension Attribute {
    /// Whether an attribute can be set to the value; a transient one without a type takes anything.
    func accepts(_ value: PropertyValue) -> Bool { type == .undefined || type.holds(value) }
}
