/// The destination of a context's saves.
enum SaveDestination {
    /// The store, perhaps as a part of an open transaction.
    case store(JoinedSaves)
    /// A parent, which receives changes as values and returns those that it drops.
    ///
    /// It drops the changes of objects that it has deleted.
    case parent((StagedSave) -> [ObjectSnapshot])
}
