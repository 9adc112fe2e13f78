import TributaryChanges

/// Properties that few objects need, in a separate object to keep the others small.
final class ObjectExtras {
    var faultError: ContextError?
    /// Whether the context's `onInaccessibleFault` was called for the object.
    var wasReported = false
    /// Whether the object was deleted before it was ever saved.
    var isUnsaved = false
    /// The stored to-many relationships and inverse sides of one-to-one relationships, by property index.
    var related: [Int: [ManagedObjectID]] = [:] {
        didSet { members = [:] }
    }
    /// The IDs of ``related`` as sets, built when membership is first tested.
    private var members: [Int: Set<ManagedObjectID>] = [:]
    /// External values by property index, once they have been read.
    var blobs: [Int: (reference: PropertyValue, value: PropertyValue)] = [:]

    func isRelated(_ propertyIndex: Int, to id: ManagedObjectID) -> Bool? {
        guard let ids = related[propertyIndex] else { return nil }
        guard ids.count > ObjectExtras.leastMembers else { return ids.contains(id) }
        if let known = members[propertyIndex] { return known.contains(id) }
        let made = Set(ids)
        members[propertyIndex] = made
        return made.contains(id)
    }

    private static let leastMembers = 8

    /// Removes all cached values, because the object has other values now.
    func forgetReading() {
        faultError = nil
        blobs = [:]
    }
}
