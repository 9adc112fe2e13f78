/// Work in progress, such as an import or a merge, which an application can show with a progress indicator.
public struct Activity: Sendable, Hashable {
    /// The phase of an activity.
    public enum Phase: String, Sendable, Hashable {
        case started
        case finished
    }

    /// The number of the activity within its container, counted from the first.
    public let number: UInt64
    /// A description of the work, to be shown to people.
    public let title: String
    /// Whether it has begun or ended.
    public let phase: Phase

    /// Creates an activity from its number, title and phase.
    public init(number: UInt64, title: String, phase: Phase) {
        self.number = number
        self.title = title
        self.phase = phase
    }
}
