/// Hears of each SQL statement that a container has run: for a log at debug level.
///
/// ```swift
/// let log = SQLLog { logger.debug("SQL", metadata: ["text": "\($0.text)", "time": "\($0.duration)"]) }
/// ```
/// The handler is called on the thread that ran the statement, while its connection is held: it must be quick, and must
/// not use the container.
public struct SQLLog: Sendable {
    /// One statement that was run.
    public struct Entry: Sendable, Hashable {
        /// The statement's text.
        public let text: String
        /// From its first step to its end; what was done with the rows in between is included.
        public let duration: Duration
        /// How many rows it gave.
        public let rows: Int
    }

    /// Whether texts show the bound values, which may be private, in the place of `?`.
    public var includesValues: Bool
    /// What is called with each statement.
    public var handler: @Sendable (Entry) -> Void

    /// A log that calls `handler`; values are not shown unless asked for.
    public init(includesValues: Bool = false, _ handler: @escaping @Sendable (Entry) -> Void) {
        self.includesValues = includesValues
        self.handler = handler
    }
}
