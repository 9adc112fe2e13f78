public import TributaryChanges

/// The change of one object in a transaction.
public struct PersistentHistoryChange: Sendable, Hashable {
    /// The kind of a change.
    public enum Kind: String, Sendable, Hashable {
        /// The object became visible.
        case insert
        /// Values or relationships changed.
        case update
        /// The object is not visible any more.
        case delete
    }

    /// The ID of the object.
    public let objectID: ManagedObjectID
    /// The kind of the change.
    public let kind: Kind
    /// The changed properties; empty for a deletion.
    public let updatedProperties: Set<String>
    /// For a deletion, the last values of the properties that the model preserves after deletion; else empty.
    public let tombstone: [String: PropertyValue]
}
