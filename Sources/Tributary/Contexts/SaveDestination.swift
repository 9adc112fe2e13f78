enum SaveDestination {
    case store(JoinedSaves)
    /// A parent, which receives changes as values and returns those that it drops.
    ///
    /// It drops the changes of objects that it has deleted.
    case parent((StagedSave) -> [ObjectSnapshot])
}
