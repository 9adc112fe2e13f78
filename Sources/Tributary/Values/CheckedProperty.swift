/// The property that a key represents, or why it represents none.
enum CheckedProperty<Property> {
    case property(Property)
    case mismatch(String)

    var mismatch: String? {
        if case .mismatch(let text) = self { text } else { nil }
    }
}
