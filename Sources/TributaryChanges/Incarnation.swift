/// What a writer says of the store that writes as it: the label of the store, and the writer that the store was before.
///
/// A store is one writer after another, its incarnations. It goes on as a fresh one when it cannot prove that nobody
/// else goes on as the present one.
package struct Incarnation: Hashable, Sendable {
    /// The writer that another one goes on from, with its last transaction at that time.
    package struct Predecessor: Hashable, Sendable {
        package var writer: UniqueID
        package var sequence: UInt64

        package init(writer: UniqueID, sequence: UInt64) {
            (self.writer, self.sequence) = (writer, sequence)
        }
    }

    /// The label of the store, by which people and acknowledgements know it; nil for a producer without one.
    package var store: UniqueID?
    /// The writer before, of which this one has seen all transactions up to the sequence; nil for the first writer of a
    /// store.
    package var after: Predecessor?

    package init(store: UniqueID? = nil, after: Predecessor? = nil) {
        (self.store, self.after) = (store, after)
    }

    /// The members of a line that names the writer.
    package var members: [JSONMember] {
        var members: [JSONMember] = []
        if let store { members.append(JSONMember(key: "store", value: .string(store.description))) }
        if let after {
            let value: [JSONMember] = [
                JSONMember(key: "writer", value: .string(after.writer.description)),
                JSONMember(key: "sequence", value: .integer(Int64(clamping: after.sequence))),
            ]
            members.append(JSONMember(key: "after", value: .object(value)))
        }
        return members
    }
}
