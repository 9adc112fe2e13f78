import TributaryChanges

extension MergeRule {
    /// Lists the names of all merge rules as in a sentence.
    ///
    /// - Parameter word: The word before the last name.
    /// - Returns: a list such as `latest, max, min or counter`.
    static func names(lastAfter word: String) -> String {
        let names = allCases.map(\.rawValue)
        return "\(names.dropLast().joined(separator: ", ")) \(word) \(names.last ?? "")"
    }
}
