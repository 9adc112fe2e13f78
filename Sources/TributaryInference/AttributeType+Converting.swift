package import TributaryChanges
package import TributaryModel

extension AttributeType {
    /// Whether each value of this type equals a value of `other`, so that a migration can convert it.
    package func convertsLosslessly(to other: AttributeType) -> Bool {
        switch (self, other) {
        case _ where self == other: true
        case (.integer16, .integer32), (.integer16, .integer64), (.integer32, .integer64): true
        case (.integer16, .float), (.integer16, .double), (.integer32, .double), (.float, .double): true
        case (.integer16, .decimal), (.integer32, .decimal), (.integer64, .decimal): true
        case (.string, .uri), (.uri, .string), (.binary, .transformable), (.transformable, .binary): true
        default: false
        }
    }

    /// Whether a migration converts values of this type to `other` although it has to round some of them.
    package func isRounded(as other: AttributeType) -> Bool { self == .integer64 && other == .double }

    /// Whether the conversion changes the form of a value: an integer becomes a floating-point number, or a decimal,
    /// which the log writes as a string.
    package func changesForm(as other: AttributeType) -> Bool { isInteger && !other.isInteger }

    package func converted(_ value: PropertyValue) -> PropertyValue {
        switch (self, value) {
        case (.float, .integer(let whole)), (.double, .integer(let whole)): .double(Double(whole))
        case (.decimal, .integer(let whole)): .decimal(String(whole))
        case (.uri, .string(let text)): .uri(text)
        case (.string, .uri(let text)): .string(text)
        default: value
        }
    }
}
