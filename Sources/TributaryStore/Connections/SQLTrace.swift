/// Observes each statement that SQLite has run, on the thread that ran it.
package struct SQLTrace: Sendable {
    /// Whether the text contains the bound values in place of its parameters.
    package var includesValues: Bool
    /// Receives the text, the duration and the number of rows.
    package var handler: @Sendable (_ text: String, _ duration: Duration, _ rows: Int) -> Void

    package init(
        includesValues: Bool,
        handler: @escaping @Sendable (_ text: String, _ duration: Duration, _ rows: Int) -> Void
    ) {
        self.includesValues = includesValues
        self.handler = handler
    }
}
