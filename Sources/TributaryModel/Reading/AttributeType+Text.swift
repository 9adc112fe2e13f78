import TributaryChanges

extension AttributeType {
    /// Returns the value of a text, with lenient rules: `YES` is true, `0.0` an integer.
    func value(fromModelText text: String) -> PropertyValue? {
        switch self {
        case .string: return .string(text)
        case .uri: return .uri(text)
        case .integer16, .integer32, .integer64:
            let whole = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
            return whole.map(PropertyValue.integer).flatMap { holds($0) ? $0 : nil }
        case .double, .float:
            return Double(text).map(PropertyValue.double).flatMap { holds($0) ? $0 : nil }
        case .decimal: return DecimalText.canonical(text).map(PropertyValue.decimal)
        case .boolean:
            switch text.lowercased() {
            case "yes", "true", "1": return .boolean(true)
            case "no", "false", "0": return .boolean(false)
            default: return nil
            }
        case .date: return (DateText.unixSeconds(text) ?? Double(text)).map { .date(DateValue(unixSeconds: $0)) }
        case .uuid: return UniqueID(text).map(PropertyValue.uuid)
        case .binary, .transformable: return Base64.decode(text).map(PropertyValue.binary)
        case .composite, .undefined: return nil
        }
    }

    /// Returns a bound: a length for strings, a value of this type for others.
    func bound(fromModelText text: String) -> PropertyValue? {
        (self == .string ? AttributeType.integer64 : self).value(fromModelText: text)
    }
}
