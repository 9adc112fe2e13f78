/// Numbers with the noun that they count, for people.
enum CountText {
    /// "1 change", "2 changes".
    static func text(_ count: some BinaryInteger, _ singular: String) -> String {
        "\(count) \(singular)\(count == 1 ? "" : "s")"
    }
}
