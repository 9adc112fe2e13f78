import TributaryChanges

/// The part of a merge that runs on the main actor: the contents of the next update.
@MainActor
final class MainMerger {
    /// The name of the store in tokens, as it was when the container was opened.
    nonisolated let storeName: String
    weak var context: MainContext?
    var collected: ObjectChanges
    /// Whether one update is being assembled from several steps.
    var isCollecting = false
    /// The context's edit count when its save failed; the save is not tried again before the count has grown.
    var editsOfFailedSave: UInt64?

    nonisolated init(storeName: String, limit: Int) {
        self.storeName = storeName
        collected = ObjectChanges(limit: limit)
    }
}
