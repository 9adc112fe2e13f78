/// How a container merges: when the main context merges the saves of others, and what it saves then.
public struct MergeOptions: Sendable, Hashable {
    /// The quiet time after the last announcement before the main context merges.
    public var debounce: Duration = .seconds(1)
    /// The longest time that an announcement waits.
    public var ceiling: Duration = .seconds(5)
    /// Whether the main context saves its own changes when it merges.
    public var saves = true
    /// The number of IDs that a pending change notification lists before it collapses to "everything".
    public var pendingLimit = 10_000

    /// How long the program's exit waits for blocks that were accepted and have not ended.
    public var shutdownTimeout: Duration = .seconds(10)

    /// The number of IDs that a pending change notification lists.
    @available(*, deprecated, renamed: "pendingLimit")
    public var mailboxLimit: Int {
        get { pendingLimit }
        set { pendingLimit = newValue }
    }

    /// Creates options with a debounce of one second, a ceiling of five seconds, and saving.
    public init() {}
}
