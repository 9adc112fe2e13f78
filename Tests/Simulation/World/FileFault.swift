/// The state in which a replicator leaves a copy of a segment.
package enum FileFault: Hashable, Sendable {
    case none
    /// Only the first part of the bytes has come, in per cent.
    case partial(Int)
    /// Bytes that no writer wrote follow.
    case appended
    /// One byte, at this per cent of the file, is another one.
    case damaged(Int)
    /// The replicator keeps the file, up to this per cent of its bytes, under the name of a conflict copy.
    case conflictCopy(Int)
    /// The replicator removes its copy; it may come again.
    case removed
    case completed
}
