import TributaryChanges

/// The keys of the store's settings for the watched folder.
enum StoreKeys {
    /// The text of ``ImportPause`` while importing is paused.
    static let paused = "sync.paused"
    /// `<own sequence> <Unix milliseconds>`: since when imports are unacknowledged, at that own sequence.
    ///
    /// The setting is invalid once the own sequence has advanced.
    static let unacknowledged = "sync.unacknowledged"
    /// Lines of `<writer>/<first>-<last>.tlog <sha256>`: held segments that an administrator has accepted.
    static let accepted = "sync.accepted"

    /// `<Unix milliseconds> <file>`: since when the log folder contradicts a baseline of this store, which was removed;
    /// from then on the store makes baselines from the log folder only.
    static let distrusted = "sync.distrusted"

    /// `<first>-<last>.tlog <sha256> <deferred>`: the partly applied segment of a writer.
    static func partial(_ writer: UniqueID) -> String { "sync.partial.\(writer)" }
}
