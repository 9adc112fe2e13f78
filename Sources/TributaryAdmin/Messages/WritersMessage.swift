/// The response of `GET /v1/writers`.
package struct WritersMessage: Codable, Hashable, Sendable {
    package struct Writer: Codable, Hashable, Sendable {
        /// The label of the store; of a producer without one its writer.
        package var id: String
        /// The writer as which the store has written last, and the number of all that it was.
        package var writer: String?
        package var writers: Int?
        package var name: String?
        package var sequence: UInt64
        /// Sixteen hexadecimal digits.
        package var clock: String
        package var behind: UInt64?
        /// The time since the arrival of the writer's oldest segment that is not applied; 0 when all are applied.
        package var lagSeconds: Double?
        /// The time of the writer's newest applied transaction in Unix seconds.
        package var lastHeard: Double?
        /// The number of segments in the log folder that are not applied.
        package var waiting: Int?
        /// The sequences up to which this writer has stated to have applied the transactions of other writers.
        package var seen: [String: UInt64] = [:]
        /// One of self, active, producer, evicted, abandoned, forked.
        package var state: String
        /// The keys that are known of the store; of this store its present key is the first.
        package var keys: [Key]?

        package struct Key: Codable, Hashable, Sendable {
            /// 64 hexadecimal digits.
            package var key: String
            /// One of own, trusted, revoked.
            package var state: String
            /// In Unix seconds.
            package var since: Double?

            package init(key: String, state: String, since: Double? = nil) {
                (self.key, self.state, self.since) = (key, state, since)
            }
        }

        package init(id: String, name: String?, sequence: UInt64, clock: String, state: String) {
            self.id = id
            self.name = name
            self.sequence = sequence
            self.clock = clock
            self.state = state
        }
    }

    package var writers: [Writer]
    package var next: String?

    package init(writers: [Writer], next: String? = nil) {
        self.writers = writers
        self.next = next
    }
}

/// The response of `POST /v1/writers/self/restamp`.
package struct RestampMessage: Codable, Hashable, Sendable {
    package var former: String
    package var new: String
    /// The last transaction of the former writer that is exported; 0 for none.
    package var published: UInt64
    /// The number of transactions that are issued again under the new writer.
    package var reissued: UInt64

    package init(former: String, new: String, published: UInt64, reissued: UInt64) {
        self.former = former
        self.new = new
        self.published = published
        self.reissued = reissued
    }
}
