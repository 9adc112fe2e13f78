/// The answer of `GET /v1/writers`.
package struct WritersMessage: Codable, Hashable, Sendable {
    package struct Writer: Codable, Hashable, Sendable {
        package var id: String
        package var name: String?
        package var sequence: UInt64
        /// Sixteen hexadecimal digits.
        package var clock: String
        /// For how long the oldest of its segments that are not applied has been here; 0 when all are applied.
        package var lagSeconds: Double?
        /// When its newest applied transaction was made, in Unix seconds.
        package var lastHeard: Double?
        /// Segments in the log folder that are not applied.
        package var waiting: Int?
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
