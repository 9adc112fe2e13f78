public import TributaryChanges

/// What a transaction has done to one object.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// What was done.
    public enum Kind: String, Sendable, Hashable {
        /// The object became visible.
        case insert
        /// Values or relationships changed.
        case update
        /// The object is not visible any more.
        case delete
    }

    /// The object.
    public let objectID: ManagedObjectID
    /// What was done to it.
    public let kind: Kind
    /// The changed properties; empty for a deletion.
    public let updatedProperties: Set<String>
    /// For a deletion, the last values of the properties that the model preserves after deletion; else empty.
    public let tombstone: [String: PropertyValue]
}
