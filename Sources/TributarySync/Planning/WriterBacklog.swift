package import TributaryChanges

/// The segments of one writer that are in the log folder and not applied.
package struct WriterBacklog: Hashable, Sendable {
    package var segments: Int
    /// The wall time at which the oldest of the segments was found.
    package var since: WallTime
}
