/// The state of the store that a fetch of the ``PersistentContainer`` reads.
public enum FetchedState: Sendable, Hashable {
    /// The generation of the main context, without its unsaved changes.
    case mainContext
    /// The newest committed state when the fetch begins.
    case newest
    /// The main context's generation when it includes the token's transaction, or else the newest committed state.
    ///
    /// With ``ManagedObjectContext/lastSaveToken`` the fetch includes the caller's own save, before the main context
    /// has merged it.
    case including(HistoryToken)
}
