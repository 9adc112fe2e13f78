public import TributaryChanges

/// A section of a ``FetchedResultsController``: a value of the section key path, and the IDs of its objects in order.
public struct FetchedSection: Sendable, Hashable {
    /// What the section key path has for these objects; null without one.
    public let value: PropertyValue
    /// The objects, in the order of the request.
    public var objectIDs: [ManagedObjectID]

    /// A section of its parts.
    public init(value: PropertyValue, objectIDs: [ManagedObjectID]) {
        self.value = value
        self.objectIDs = objectIDs
    }
}
