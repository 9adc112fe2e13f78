import TributaryChanges

/// The store's settings that belong to the watched folder.
enum StoreKeys {
    /// The text of ``ImportPause`` while importing is paused.
    static let paused = "sync.paused"
    /// `<own sequence> <Unix milliseconds>`: what was imported when the own sequence was that has not been
    /// acknowledged; void once the own sequence has moved.
    static let unacknowledged = "sync.unacknowledged"
    /// Lines of `<writer>/<first>-<last>.tlog <sha256>`: held segments that are taken all the same.
    static let accepted = "sync.accepted"

    /// `<first>-<last>.tlog <sha256> <deferred>`: the segment of which some transactions are applied and others wait.
    static func partial(_ writer: UniqueID) -> String { "sync.partial.\(writer)" }
}
