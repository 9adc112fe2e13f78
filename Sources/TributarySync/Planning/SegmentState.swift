package enum SegmentState: String, Sendable, Hashable, CaseIterable {
    /// The transactions of the segment are in the store.
    case applied
    /// A preceding transaction or a named blob is missing, or another segment comes first.
    case waiting
    /// The segment has no valid end line yet: it is still being written or copied.
    case incomplete
    /// The clock of the segment is too far ahead of the wall clock.
    case held
    /// The bytes differ from those that the writer wrote, or the end line never came.
    case damaged
    /// Another segment of the writer has different content for the same sequences.
    case forked
    /// The content breaks the format, or the file is not a readable regular file.
    case rejected
}
