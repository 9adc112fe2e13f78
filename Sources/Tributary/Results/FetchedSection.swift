public import TributaryChanges

/// A section of a ``FetchedResultsController``: a value of the section key path, and the IDs of its objects in order.
public struct FetchedSection: Sendable, Hashable {
    /// The value of the section key path for these objects; null without a section key path.
    public let value: PropertyValue
    /// The objects, in the order of the request.
    public var objectIDs: [ManagedObjectID]

    /// Creates a section from its value and IDs.
    public init(value: PropertyValue, objectIDs: [ManagedObjectID]) {
        self.value = value
        self.objectIDs = objectIDs
    }
}
