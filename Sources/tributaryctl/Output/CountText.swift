/// Formats numbers with a noun.
enum CountText {
    /// Returns a text such as "1 change" or "2 changes".
    static func text(_ count: some BinaryInteger, _ singular: String) -> String {
        "\(count) \(singular)\(count == 1 ? "" : "s")"
    }
}
