/// The position of an object in the sections of a ``FetchedResultsController``.
public struct FetchedPosition: Sendable, Hashable {
    /// The section's index.
    public var section: Int
    /// The index in the section.
    public var item: Int

    /// Creates a position from its indices.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }
}
