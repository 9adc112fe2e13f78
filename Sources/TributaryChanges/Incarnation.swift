/// A store becomes a new writer when it cannot prove that no other store continues as the present writer.
package struct Incarnation: Hashable, Sendable {
    package struct Predecessor: Hashable, Sendable {
        package var writer: UniqueID
        package var sequence: UInt64

        package init(writer: UniqueID, sequence: UInt64) {
            (self.writer, self.sequence) = (writer, sequence)
        }
    }

    /// The name of the store for people and acknowledgements; nil for a producer without a label.
    package var store: UniqueID?
    /// The new writer has seen all transactions of this writer up to its sequence.
    package var after: Predecessor?

    package init(store: UniqueID? = nil, after: Predecessor? = nil) {
        (self.store, self.after) = (store, after)
    }

    package var storeJSON: JSONValue? { store.map { .string($0.description) } }
    package var afterJSON: JSONValue? {
        after.map { .members(["writer": .string($0.writer.description), "sequence": .count($0.sequence)]) }
    }
}
