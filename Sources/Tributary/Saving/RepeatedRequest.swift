/// A request with this idempotency key was answered before; nothing was written now.
package struct RepeatedRequest: Error, Hashable, Sendable {
    /// The transaction that the first request made.
    package var number: Int64
    /// What was stored with it.
    package var detail: String

    package init(number: Int64, detail: String) {
        self.number = number
        self.detail = detail
    }
}
