import TributaryChanges

extension LocalChanges {
    /// What readers of the log take for a line.
    private static let lineLimit = 16 << 20
    /// A character takes at most so many bytes in JSON.
    private static let greatestEscape = 6

    /// Refuses what the log has no line for: other writers would take nothing that comes after it.
    ///
    /// - Throws: ``StoreError`` `invalidChange`.
    func checkLines(_ changes: [Change]) throws {
        for (index, change) in changes.enumerated() {
            guard change.textSize > LocalChanges.lineLimit / LocalChanges.greatestEscape else { continue }
            var line: [UInt8] = []
            change.write(to: &line)
            guard line.count > LocalChanges.lineLimit else { continue }
            throw StoreError.invalidChange(
                index: index,
                reason:
                    "\(change.entity) \(change.id) takes \(line.count) bytes in the log, where a change has at most "
                    + "\(LocalChanges.lineLimit): about 12 MiB of binaries"
            )
        }
    }
}

extension Change {
    /// Characters of its texts, and of its links.
    fileprivate var textSize: Int {
        switch operation {
        case .insert(let writes), .update(let writes): writes.reduce(0) { $0 + $1.value.textSize }
        case .delete: 0
        case .link(_, let ids, let positions):
            ids.count * UniqueID.lineSize + (positions ?? []).reduce(0) { $0 + $1.utf8.count }
        case .unlink(_, let ids): ids.count * UniqueID.lineSize
        }
    }
}

extension UniqueID {
    /// As a JSON string, with a comma.
    fileprivate static let lineSize = 39
}

extension JSONValue {
    fileprivate var textSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .object(let members): members.reduce(0) { $0 + $1.key.utf8.count + $1.value.textSize }
        case .array(let values): values.reduce(0) { $0 + $1.textSize }
        case .number(let text): text.utf8.count
        case .null, .boolean, .integer, .double, .unrepresentable: 0
        }
    }
}
