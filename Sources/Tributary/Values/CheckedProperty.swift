/// A property that a key stands for, or why it stands for none.
enum CheckedProperty<Property> {
    case property(Property)
    case mismatch(String)

    /// Why the key stands for no property.
    var mismatch: String? {
        if case .mismatch(let text) = self { text } else { nil }
    }
}
