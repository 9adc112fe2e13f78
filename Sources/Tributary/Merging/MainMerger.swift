import TributaryChanges

/// The part of the merge that belongs to the main actor: what the next update will contain.
@MainActor
final class MainMerger {
    /// What the name of the store is in tokens.
    nonisolated let storeName: String
    weak var context: (any MainContextMerging)?
    /// What has changed since the last update.
    var collected: ObjectChanges
    /// True while one update is being put together of several steps.
    var isCollecting = false
    /// The context's count of edits when its save failed; the save is not tried again before it has grown.
    var editsOfFailedSave: UInt64?

    nonisolated init(storeName: String, limit: Int) {
        self.storeName = storeName
        collected = ObjectChanges(limit: limit)
    }
}
