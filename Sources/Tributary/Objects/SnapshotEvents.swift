/// Why an object has other values without an assignment; see ``ManagedObject/awake(from:)``.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    /// A bit for each event.
    public let rawValue: Int

    /// Events by their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An undo or redo has taken an insertion back, and the object goes.
    public static let undoInsertion = SnapshotEvents(rawValue: 1)
    /// An undo or redo has taken a deletion back, and the object is there again.
    public static let undoDeletion = SnapshotEvents(rawValue: 2)
    /// An undo or redo has taken back changes of the object.
    public static let undoUpdate = SnapshotEvents(rawValue: 4)
    /// A rollback has dropped the object's changes.
    public static let rollback = SnapshotEvents(rawValue: 8)
    /// The object was refreshed from the store.
    public static let refresh = SnapshotEvents(rawValue: 16)
    /// A save has given the object values of the store's: its merge policy, derived attributes or counters say so.
    public static let mergePolicy = SnapshotEvents(rawValue: 32)
}
