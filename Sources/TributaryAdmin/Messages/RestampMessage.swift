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
