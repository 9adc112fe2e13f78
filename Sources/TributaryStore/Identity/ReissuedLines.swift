import TributaryChanges

/// The lines of a local transaction, of which the first one is written again.
struct ReissuedLines {
    let header: TransactionHeader
    private let changes: ArraySlice<UInt8>

    /// - Throws: ``StoreError`` `database` when the first line is not that of a transaction.
    init(_ lines: [UInt8]) throws {
        let end = lines.firstIndex(of: UInt8(ascii: "\n")) ?? lines.endIndex
        guard let line = JSONValue(text: String(decoding: lines[..<end], as: UTF8.self)),
            case .integer(let sequence)? = line["transaction"], case .integer(let count)? = line["changes"],
            case .string(let clock)? = line["clock"], let clock = HybridClock(clock)
        else { throw StoreError.database(code: 11, message: "a transaction of the outbox has no header") }
        var author: String?
        if case .string(let text)? = line["author"] { author = text }
        var seen: [UniqueID: UInt64] = [:]
        if case .object(let members)? = line["seen"] {
            for member in members {
                guard let writer = UniqueID(member.key), case .integer(let sequence) = member.value else { continue }
                seen[writer] = UInt64(clamping: sequence)
            }
        }
        header = TransactionHeader(
            sequence: UInt64(clamping: sequence),
            clock: clock,
            author: author,
            seen: seen,
            changeCount: Int(clamping: count)
        )
        changes = lines[min(end + 1, lines.endIndex)...]
    }

    func lines(with header: TransactionHeader) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(changes.count + 256)
        header.write(to: &lines)
        return lines + changes
    }
}
