/// Which state of the store a fetch of the ``PersistentContainer`` reads.
public enum FetchedState: Sendable, Hashable {
    /// What the main context shows, without its unsaved changes.
    case mainContext
    /// What is committed when the fetch begins.
    case newest
    /// What the main context shows when that includes the token's transaction, else what is committed when the fetch
    /// begins.
    ///
    /// With ``ManagedObjectContext/lastSaveToken`` the fetch sees one's own save, before the main context has merged it.
    case including(HistoryToken)
}
