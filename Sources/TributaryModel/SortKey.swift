/// A key path to sort by, and the direction.
///
/// Values are in the order in which predicates compare them (see ``ObjectPredicate``); no value comes before every value.
public struct SortKey: Sendable, Hashable {
    /// A property, or a path through to-one relationships such as `department.name`.
    public var keyPath: String
    /// Least values first; nil comes before every value.
    public var isAscending: Bool

    /// A sort key, ascending unless it is said otherwise.
    public init(_ keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        isAscending = ascending
    }
}
