/// How a log folder is lost.
package enum FolderLoss: String, Hashable, Sendable, CaseIterable {
    /// The share is not mounted: an empty folder is in its place until it comes back.
    case unmounted
    case own
    case all
}
