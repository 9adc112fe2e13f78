enum ObjectEvent: Hashable, Sendable {
    /// A program or a child's save makes the object.
    case insert
    case edit
    /// A program or a delete rule marks the object as deleted.
    case delete
    /// The delete rules of an object that was deleted before its first save have been followed.
    case purge
    /// The row of a fault is read, and the store has none.
    case loadFailure
    /// A merge finds that the store has no row any more.
    case invalidate
    /// The changes of the object are dropped, and it becomes a fault.
    case refresh
    /// All changes of the context are dropped; an object that was deleted before its first save is never saved.
    case rollBack(isNeverSaved: Bool)
    /// A save has written the object, or has dropped its changes in favour of the store's row.
    case save
    /// A save has deleted the object, or has found it deleted; its changes may be lost by that.
    case saveDeletion(isLost: Bool)
    /// An undo or a child's save brings a deleted object back, with or without changes of its own.
    case resurrect(isChanged: Bool)
    /// An undo has given all values back that the row has.
    case revertToRow
    /// The transaction around a save of the object has failed; the state is that before the save.
    case restore(ObjectState)
    /// The context is reset, or its container closes.
    case detach
}
