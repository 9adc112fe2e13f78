/// The reasons why values change without an assignment; see ``ManagedObject/awake(from:)``.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    /// The bits, one for each event.
    public let rawValue: Int

    /// Creates events from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An undo or redo has reverted an insertion, and the object is removed.
    public static let undoInsertion = SnapshotEvents(rawValue: 1)
    /// An undo or redo has reverted a deletion, and the object is inserted again.
    public static let undoDeletion = SnapshotEvents(rawValue: 2)
    /// An undo or redo has reverted changes of the object.
    public static let undoUpdate = SnapshotEvents(rawValue: 4)
    /// A rollback has dropped the object's changes.
    public static let rollback = SnapshotEvents(rawValue: 8)
    /// The object was refreshed from the store.
    public static let refresh = SnapshotEvents(rawValue: 16)
    /// A save has set values of the store on the object, for its merge policy, derived attributes or counters.
    public static let mergePolicy = SnapshotEvents(rawValue: 32)
}
