import TributaryChanges

/// The proof that another program writes, or has written, as the store's own writer.
struct OwnFork: Hashable, Sendable {
    var file: String
    /// How the store's records contradict the file.
    var reason: String
    /// The store is older than what the file tells of its writer; otherwise another program is that writer.
    var isOlder = false
    /// The wall time at which the store becomes another writer; nil for at once.
    ///
    /// Segments of the writer tell which of the store's own transactions are published. While the store has unpublished
    /// ones, it waits for those segments, so that it issues nothing again.
    var due: WallTime?
    /// The wall time at which a change that has failed is tried again; nil while none has.
    var retry: WallTime?

    /// The wall time before which the store does not try to become another writer; nil for at once.
    var attempt: WallTime? { [due, retry].compactMap(\.self).max() }
}
