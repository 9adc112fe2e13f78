/// The label of the store that writes as a writer, and the writer as which that store wrote before.
///
/// A store writes as one writer after another, its incarnations. It continues as a new writer when it cannot prove that
/// no other store continues as the present one.
package struct Incarnation: Hashable, Sendable {
    /// The former writer, with its last transaction when the next writer began.
    package struct Predecessor: Hashable, Sendable {
        package var writer: UniqueID
        package var sequence: UInt64

        package init(writer: UniqueID, sequence: UInt64) {
            (self.writer, self.sequence) = (writer, sequence)
        }
    }

    /// People and acknowledgements know the store by this label; nil for a producer without one.
    package var store: UniqueID?
    /// The new writer has seen all transactions of `after` up to its sequence; nil for the first writer of a store.
    package var after: Predecessor?

    package init(store: UniqueID? = nil, after: Predecessor? = nil) {
        (self.store, self.after) = (store, after)
    }

    /// The members `store` and `after` of a line that names the writer; nil for none.
    package var storeJSON: JSONValue? { store.map { .string($0.description) } }
    package var afterJSON: JSONValue? {
        after.map { .members(["writer": .string($0.writer.description), "sequence": .count($0.sequence)]) }
    }
}
