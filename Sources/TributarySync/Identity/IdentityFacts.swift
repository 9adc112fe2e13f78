import TributaryStore

/// The facts about a store at its start, from which follows whether it is still the store that it was.
struct IdentityFacts: Hashable, Sendable {
    /// The home that the store records; nil at the first start.
    var recorded: StoreHome?
    var current: StoreHome
    /// Whether the recorded file is still at its recorded path.
    var isOriginalThere = false
    /// Whether the store was restored from a backup since its last start.
    var isRestored = false
    /// A file of the store's own writer in the log folder of which the store has no record.
    var unknownFile: String?
    /// Whether the store has exported something as its writer.
    var hasExported = false
    /// Whether the store has exported segments, and the log folder has nothing of its writer.
    var lacksExports = false
}
