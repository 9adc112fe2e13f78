import TributaryChanges

/// What few objects need, kept apart so that the others stay small.
final class ObjectExtras {
    /// Why the row, or a value that lies beside the store, could not be read.
    var faultError: ContextError?
    /// Whether the context's `onInaccessibleFault` was called for the object.
    var wasReported = false
    /// Whether the object was deleted before it was ever saved.
    var isUnsaved = false
    /// By slot: what the store says of a to-many, or of the derived side of a one-to-one.
    var related: [Int: [ManagedObjectID]] = [:] {
        didSet { members = [:] }
    }
    /// The IDs of ``related`` as sets, made when it is first asked whether an object is among them.
    private var members: [Int: Set<ManagedObjectID>] = [:]
    /// By slot: what lies beside the store, once it has been read.
    var blobs: [Int: (reference: PropertyValue, value: PropertyValue)] = [:]

    /// Whether the store has the object in a relationship, as it was read; nil when that was not read.
    func isRelated(_ slot: Int, to id: ManagedObjectID) -> Bool? {
        guard let ids = related[slot] else { return nil }
        guard ids.count > ObjectExtras.leastMembers else { return ids.contains(id) }
        if let known = members[slot] { return known.contains(id) }
        let made = Set(ids)
        members[slot] = made
        return made.contains(id)
    }

    /// A list that is not longer is searched as it is.
    private static let leastMembers = 8

    /// The object has other values now.
    func forgetReading() {
        faultError = nil
        blobs = [:]
    }
}
