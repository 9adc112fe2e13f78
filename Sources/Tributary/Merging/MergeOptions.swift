/// How a container merges: when the main context takes over what others have saved, and what it saves then.
public struct MergeOptions: Sendable, Hashable {
    /// The quiet time after the last announcement before the main context merges.
    public var debounce: Duration = .seconds(1)
    /// The longest time that an announcement waits.
    public var ceiling: Duration = .seconds(5)
    /// Whether the main context saves its own changes when it merges.
    public var saves = true
    /// IDs that a waiting notice lists before it collapses to "everything".
    public var mailboxLimit = 10_000

    /// How long the program's exit waits for bodies that were accepted and have not ended.
    public var shutdownTimeout: Duration = .seconds(10)

    /// One second, at most five, and saving.
    public init() {}
}
