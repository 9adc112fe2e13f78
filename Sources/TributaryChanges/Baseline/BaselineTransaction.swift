/// The line of a transaction in a baseline; the changes that still have an effect follow.
package struct BaselineTransaction: Hashable, Sendable {
    package var writer: UniqueID
    package var sequence: UInt64
    package var clock: HybridClock
    /// The index in its transaction that all of the changes have; nil where the index decides nothing.
    package var index: Int?
    package var changeCount: Int

    package init(writer: UniqueID, sequence: UInt64, clock: HybridClock, index: Int?, changeCount: Int) {
        self.writer = writer
        self.sequence = sequence
        self.clock = clock
        self.index = index
        self.changeCount = changeCount
    }

    /// The line, without its newline.
    package var line: String {
        var members = [
            JSONMember(key: "transaction", value: .integer(Int64(clamping: sequence))),
            JSONMember(key: "writer", value: .string(writer.description)),
            JSONMember(key: "clock", value: .string(clock.description)),
        ]
        if let index { members.append(JSONMember(key: "index", value: .integer(Int64(index)))) }
        members.append(JSONMember(key: "changes", value: .integer(Int64(changeCount))))
        return JSONValue.object(members).text
    }
}
