/// The line of a transaction in a baseline; the changes that still have an effect follow.
package struct BaselineTransaction: Hashable, Sendable {
    package var writer: UniqueID
    package var sequence: UInt64
    package var clock: HybridClock
    package var changeCount: Int

    package init(writer: UniqueID, sequence: UInt64, clock: HybridClock, changeCount: Int) {
        self.writer = writer
        self.sequence = sequence
        self.clock = clock
        self.changeCount = changeCount
    }

    /// Without its newline.
    package var line: String {
        JSONValue.object([
            JSONMember(key: "transaction", value: .integer(Int64(clamping: sequence))),
            JSONMember(key: "writer", value: .string(writer.description)),
            JSONMember(key: "clock", value: .string(clock.description)),
            JSONMember(key: "changes", value: .integer(Int64(changeCount))),
        ]).text
    }
}
