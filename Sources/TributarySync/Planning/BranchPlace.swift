/// The place of a segment among the lines of its writer's log.
package enum BranchPlace: Hashable, Sendable {
    /// Its transactions are in the store, from this segment or from a baseline.
    case applied
    /// It follows the last applied segment of a line, or continues a partly applied one, after this sequence.
    ///
    /// The writer's first line has an empty branch.
    case next(branch: String, after: UInt64)
    /// It begins another branch after this sequence.
    case start(after: UInt64)
    /// The segment that it follows is not applied; its hash, where the header has it.
    case waiting(previous: String?)
    /// The writer has too many branches already.
    case tooMany
}
