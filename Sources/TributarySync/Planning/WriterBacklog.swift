/// What lies in the log folder of one writer and is not applied.
package struct WriterBacklog: Hashable, Sendable {
    package var segments: Int
    /// Unix milliseconds at which the oldest of them was found.
    package var since: UInt64
}
