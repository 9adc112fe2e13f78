package import TributaryChanges

extension PropertyValue {
    /// The text of a string or a URI; nil for other values.
    package var text: String? {
        switch self {
        case .string(let text), .uri(let text): text
        default: nil
        }
    }
}
