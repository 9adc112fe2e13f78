/// Work in progress, such as an import or a merge: what an application shows with a progress indicator.
public struct Activity: Sendable, Hashable {
    /// Whether it has begun or ended.
    public enum Phase: String, Sendable, Hashable {
        case started
        case finished
    }

    /// Counts the activities of one container.
    public let number: UInt64
    /// A description of the work, to be shown to people.
    public let title: String
    /// Whether it has begun or ended.
    public let phase: Phase

    /// An activity of its parts.
    public init(number: UInt64, title: String, phase: Phase) {
        self.number = number
        self.title = title
        self.phase = phase
    }
}
