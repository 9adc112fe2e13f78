/// A writer in a baseline: how far its transactions are in it.
///
/// Its name is left out, because stores may know different ones at one vector; its next segment tells it.
package struct BaselineWriter: Hashable, Sendable {
    package var id: UniqueID
    /// Its last transaction that the baseline has.
    package var sequence: UInt64
    package var clock: HybridClock
    /// The hash in the end line of its last segment.
    package var hash: String?
    /// The transactions that its own have acknowledged, accumulated.
    package var seen: [UniqueID: UInt64]
    /// The branches of a forked writer; nil for others.
    ///
    /// Then `sequence` and `clock` are the greatest ones of all branches, and `hash` is that of the hashes with which they
    /// end.
    package var fork: BaselineFork?

    package init(
        id: UniqueID,
        sequence: UInt64,
        clock: HybridClock,
        hash: String?,
        seen: [UniqueID: UInt64],
        fork: BaselineFork? = nil
    ) {
        self.fork = fork
        self.id = id
        self.sequence = sequence
        self.clock = clock
        self.hash = hash
        self.seen = seen
    }

    /// The line, without its newline.
    package var line: String {
        var members = [JSONMember(key: "writer", value: .string(id.description))]
        members.append(JSONMember(key: "sequence", value: .integer(Int64(clamping: sequence))))
        members.append(JSONMember(key: "clock", value: .string(clock.description)))
        if let hash { members.append(JSONMember(key: "sha256", value: .string(hash))) }
        if !seen.isEmpty {
            let entries = seen.sorted { $0.key < $1.key }.map {
                JSONMember(key: $0.key.description, value: .integer(Int64(clamping: $0.value)))
            }
            members.append(JSONMember(key: "seen", value: .object(entries)))
        }
        if let fork { members.append(JSONMember(key: "fork", value: fork.json)) }
        return JSONValue.object(members).text
    }
}
