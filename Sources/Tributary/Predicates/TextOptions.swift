/// The options of string comparisons: `[c]`, `[d]` and `[cd]` of the format language.
public struct TextOptions: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Both sides are lower-cased first.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Both sides lose their diacritics first.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
}
