/// The answer of `GET /v1/writers`.
package struct WritersMessage: Codable, Hashable, Sendable {
    package struct Writer: Codable, Hashable, Sendable {
        package var id: String
        package var name: String?
        package var sequence: UInt64
        /// Sixteen hexadecimal digits.
        package var clock: String
        package var lagSeconds: Double?
        /// The sequences of other writers that this one has told to have applied.
        package var seen: [String: UInt64]
        /// self, active, producer, evicted, abandoned or forked.
        package var state: String

        package init(id: String, name: String?, sequence: UInt64, clock: String, state: String) {
            self.id = id
            self.name = name
            self.sequence = sequence
            self.clock = clock
            self.state = state
            seen = [:]
        }
    }

    package var writers: [Writer]
    package var next: String?

    package init(writers: [Writer], next: String? = nil) {
        self.writers = writers
        self.next = next
    }
}
