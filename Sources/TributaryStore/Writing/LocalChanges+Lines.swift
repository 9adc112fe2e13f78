import TributaryChanges

extension LocalChanges {
    /// The maximum length of a line that readers of the log accept.
    private static let lineLimit = 16 << 20
    /// The maximum number of bytes of a character in JSON.
    private static let greatestEscape = 6

    /// Checks that each change fits into a line of the log: other writers would stop at a longer line.
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
    /// The size of its values as text, roughly.
    package var textSize: Int {
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
    /// The length of an identifier as a JSON string with a comma.
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
