import TributaryChanges

extension MergeRule {
    /// Returns a list such as `latest, max, min or counter`, with the word before the last name.
    static func names(lastAfter word: String) -> String {
        let names = allCases.map(\.rawValue)
        return "\(names.dropLast().joined(separator: ", ")) \(word) \(names.last ?? "")"
    }
}
