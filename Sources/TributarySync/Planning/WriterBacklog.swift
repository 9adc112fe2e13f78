/// The segments of one writer that are in the log folder and not applied.
package struct WriterBacklog: Hashable, Sendable {
    package var segments: Int
    /// Unix milliseconds at which the oldest of them was found.
    package var since: UInt64
}
