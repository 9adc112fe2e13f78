/// A request with this idempotency key has already been processed, and this one wrote nothing.
package struct RepeatedRequest: Error, Hashable, Sendable {
    package var number: Int64
    package var detail: String

    package init(number: Int64, detail: String) {
        self.number = number
        self.detail = detail
    }
}
