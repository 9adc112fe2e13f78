/// The response of `GET /v1/writers`.
package struct WritersMessage: Codable, Hashable, Sendable {
    package struct Writer: Codable, Hashable, Sendable {
        /// The label of the store, or the writer of a producer without a label.
        package var id: String
        /// The last writer of the store; `writers` is the number of all its writers.
        package var writer: String?
        package var writers: Int?
        package var name: String?
        package var sequence: UInt64
        package var clock: String
        package var behind: UInt64?
        package var lagSeconds: Double?
        package var lastHeard: Double?
        package var waiting: Int?
        /// For each other writer, the last transaction that this writer has acknowledged.
        package var seen: [String: UInt64] = [:]
        /// `self`, `active`, `producer`, `evicted`, `abandoned` or `forked`.
        package var state: String
        /// The present key of this store comes first.
        package var keys: [Key]?

        package struct Key: Codable, Hashable, Sendable {
            package var key: String
            package var state: String
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
    /// The last exported transaction of the former writer; 0 without exports.
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
