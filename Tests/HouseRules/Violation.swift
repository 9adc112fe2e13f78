/// One place that breaks a house rule, and why.
struct Violation: Hashable, Sendable, CustomStringConvertible {
    var path: String
    /// Counted from 1; nil when the whole file is meant.
    var line: Int?
    var reason: String

    var description: String {
        guard let line else { return "\(path): \(reason)" }
        return "\(path):\(line): \(reason)"
    }
}
