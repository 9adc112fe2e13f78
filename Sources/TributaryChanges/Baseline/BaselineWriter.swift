/// A writer in a baseline, with the position up to which the baseline has its transactions.
///
/// The writer's name is left out, because stores at one vector may know different names; the writer's next segment has
/// the name.
package struct BaselineWriter: Hashable, Sendable {
    package var id: UniqueID
    package var incarnation: Incarnation
    package var sequence: UInt64
    package var clock: HybridClock
    /// What all transactions of this writer have acknowledged.
    package var seen: [UniqueID: UInt64]

    package init(
        id: UniqueID,
        incarnation: Incarnation = Incarnation(),
        sequence: UInt64,
        clock: HybridClock,
        seen: [UniqueID: UInt64]
    ) {
        self.id = id
        self.incarnation = incarnation
        self.sequence = sequence
        self.clock = clock
        self.seen = seen
    }

    /// Without its newline.
    package var line: String {
        var members = [JSONMember(key: "writer", value: .string(id.description))] + incarnation.members
        members.append(JSONMember(key: "sequence", value: .integer(Int64(clamping: sequence))))
        members.append(JSONMember(key: "clock", value: .string(clock.description)))
        if !seen.isEmpty {
            let entries = seen.sorted { $0.key < $1.key }.map {
                JSONMember(key: $0.key.description, value: .integer(Int64(clamping: $0.value)))
            }
            members.append(JSONMember(key: "seen", value: .object(entries)))
        }
        return JSONValue.object(members).text
    }
}
