/// A log of each SQL statement that a container has run, for example at debug level.
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
        /// The time from the statement's first step to its end, including the work on its rows in between.
        public let duration: Duration
        /// The number of rows that it returned.
        public let rows: Int
    }

    /// Whether texts show the bound values, which may be private, instead of `?`.
    public var includesValues: Bool
    /// The closure that is called with each statement.
    public var handler: @Sendable (Entry) -> Void

    /// Creates a log that calls `handler`, by default without values.
    public init(includesValues: Bool = false, _ handler: @escaping @Sendable (Entry) -> Void) {
        self.includesValues = includesValues
        self.handler = handler
    }
}
