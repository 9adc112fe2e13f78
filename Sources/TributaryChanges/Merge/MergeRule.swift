/// The merge rule of a property: how concurrent writes to it come together.
///
/// An attribute's user info names it under the key `tributary.merge`.
public enum MergeRule: String, Sendable, CaseIterable {
    /// The write with the greatest version wins.
    case latest
    /// The greatest value ever written wins.
    case max
    /// The least value ever written wins.
    case min
    /// The increments of all writers add up.
    case counter

    /// The key in a property's user info.
    public static let userInfoKey = "tributary.merge"

    /// Whether a deletion of the object supersedes the property's earlier writes.
    ///
    /// Extremes and totals are kept for the life of the identifier: whether an object was deleted between two of their
    /// writes must not depend on the order in which the writes arrive.
    ///
    /// Every rule but `latest` is a function of the written values alone, because deferred writes and the digest keep
    /// no versions for it.
    @inlinable
    package var isSupersededByDeletion: Bool {
        switch self {
        case .latest: true
        case .max, .min, .counter: false
        }
    }

    /// Whether the value is a bound: one of the values ever written, whatever their versions.
    @inlinable
    package var isBound: Bool {
        switch self {
        case .max, .min: true
        case .latest, .counter: false
        }
    }
}
