/// Hears of each statement that SQLite has run, on the thread that ran it.
package struct SQLTrace: Sendable {
    /// Whether the text has the bound values in the place of its parameters.
    package var includesValues: Bool
    /// The text, how long it ran, and how many rows it gave.
    package var handler: @Sendable (_ text: String, _ duration: Duration, _ rows: Int) -> Void

    package init(
        includesValues: Bool,
        handler: @escaping @Sendable (_ text: String, _ duration: Duration, _ rows: Int) -> Void
    ) {
        self.includesValues = includesValues
        self.handler = handler
    }
}
