/// Where the saves of a context go.
enum SaveDestination {
    /// The store, perhaps as a part of a transaction that is open.
    case store(JoinedSaves)
    /// A parent, which takes changes as values and returns those that it drops, because their objects are deleted there.
    case parent((StagedSave) -> [ObjectSnapshot])
}
