/// How concurrent writes to one property come together; `tributary.merge` in the property's user info.
public enum MergeRule: String, Sendable, CaseIterable {
    /// The write with the greatest version stands.
    case latest
    /// The greatest value ever written stands.
    case max
    /// The least value ever written stands.
    case min
    /// Increments of all writers add up.
    case counter

    /// The key in a property's user info.
    public static let userInfoKey = "tributary.merge"
}
