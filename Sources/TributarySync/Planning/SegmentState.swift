/// The state of a segment.
package enum SegmentState: String, Sendable, Hashable, CaseIterable {
    /// Its transactions are in the store.
    case applied
    /// Something that comes before it, or a blob it names, is not here yet; or its turn has not come.
    case waiting
    /// It has no valid end line yet: it is still being written or copied.
    case incomplete
    /// Its clock is too far ahead of the wall clock.
    case held
    /// Its bytes are not what the writer wrote, or its end never came.
    case damaged
    /// Another segment of the same writer says something else about the same sequences.
    case forked
    /// Its content breaks the format, or it is no regular file that can be read.
    case rejected
}
