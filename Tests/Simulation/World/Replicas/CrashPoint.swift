/// A moment at which the program of a replica ends without closing its store.
package enum CrashPoint: String, Hashable, Sendable, CaseIterable {
    case importBeforeCommit
    case importAfterCommit
    /// The range of a segment is committed, its file is not written.
    case exportBegun
    /// The file of a segment has its name, and the store does not know it yet.
    case exportPlaced
}
