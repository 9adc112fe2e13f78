package import TributaryChanges

extension PropertyValue {
    package var text: String? {
        switch self {
        case .string(let text), .uri(let text): text
        default: nil
        }
    }
}
