import TestSupport
import TributaryChanges

struct RandomTransactions {
    var random: SeededGenerator
    private var clock: UInt64 = 1_700_000_000_000 << 16

    init(_ random: SeededGenerator) {
        self.random = random
    }

    mutating func next(first: UInt64, count: Int) -> [LogTransaction] {
        (0..<count).map { index in
            clock += UInt64.random(in: 1...5000, using: &random)
            let changes = (0..<Int.random(in: 0...6, using: &random)).map { _ in change() }.deletionsFirst
            var seen: [UniqueID: UInt64] = [:]
            for _ in 0..<Int.random(in: 0...2, using: &random) { seen[id()] = .random(in: 1...1000, using: &random) }
            let header = TransactionHeader(
                sequence: first + UInt64(index),
                clock: HybridClock(rawValue: clock),
                author: Bool.random(using: &random) ? text() : nil,
                seen: seen,
                changeCount: changes.count
            )
            return LogTransaction(header: header, changes: changes)
        }
    }

    mutating func id() -> UniqueID { UniqueID(high: random.next(), low: random.next()) }

    private mutating func change() -> Change {
        let operation: Change.Operation
        switch Int.random(in: 0...4, using: &random) {
        case 0: operation = .insert(writes())
        case 1: operation = .update(writes())
        case 2: operation = .delete
        case 3:
            let ids = ids()
            let positions = Bool.random(using: &random) ? ids.map { _ in text() } : nil
            operation = .link(to: text(), ids: ids, positions: positions)
        default: operation = .unlink(to: text(), ids: ids())
        }
        return Change(entity: text(), id: id(), operation: operation)
    }

    private mutating func ids() -> [UniqueID] { (0..<Int.random(in: 0...3, using: &random)).map { _ in id() } }

    private mutating func writes() -> [PropertyWrite] {
        let count = Int.random(in: 0...(Int.random(in: 0...9, using: &random) == 0 ? 40 : 5), using: &random)
        return (0..<count).map { PropertyWrite(name: "\($0)" + text(), value: value(depth: 2)) }
    }

    private mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth < 8 ? 9 : 7), using: &random) {
        case 0: return .null
        case 1: return .boolean(.random(using: &random))
        case 2: return .integer(Int64(truncatingIfNeeded: random.next()))
        case 3: return .integer(.random(in: -10...10, using: &random))
        case 4:
            let value = Double(bitPattern: random.next())
            return .double(value.isFinite ? value : 0.5)
        case 5: return .double(Double(Int.random(in: -100_000...100_000, using: &random)) / 1000)
        case 6: return .unrepresentable("9223372036854775808")
        case 7: return .string(text())
        case 8: return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth + 1) })
        default:
            let count = Int.random(in: 0...3, using: &random)
            return .object((0..<count).map { JSONMember(key: "\($0)" + text(), value: value(depth: depth + 1)) })
        }
    }

    private mutating func text() -> String {
        let pieces = [
            "a", "name", "Employee", "aLongNameOfMoreThanFifteenBytes", "\"", "\\", "\n", "\u{0}", "\u{1F}", "é",
            "e\u{301}",
            "漢字", "😀", "/", "\u{7F}", "\u{2028}", " ",
        ]
        return (0..<Int.random(in: 0...3, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }
}
