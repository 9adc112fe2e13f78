/// How an older copy of a store comes into its place.
package enum Restoration: String, Hashable, Sendable, CaseIterable {
    /// A file is copied over the store's file.
    case file
    /// A backup is restored by the program, which records it in the store.
    case backup
    /// The disk of the machine is set back, with the log folder.
    case machine
}
