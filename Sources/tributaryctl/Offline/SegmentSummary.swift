import TransactionLog
import TributaryChanges

/// The list of a segment's transactions, and their number.
struct SegmentSummary {
    private struct Count: Hashable {
        var kind: String
        var entity: String
    }

    private let limit: Int
    private var transactions: [TransactionHeader] = []
    private var counts: [Count: Int] = [:]
    private(set) var isCut = false

    init(limit: Int) {
        self.limit = limit
    }

    mutating func read(_ source: OpenFile, _ segment: VerifiedSegment) throws(SegmentError) {
        let reader = SegmentReader(source, segment: segment)
        while let batch = try reader.nextBatch(limit: 1000) {
            for event in batch.events {
                switch event {
                case .begin(let header):
                    if transactions.count < limit { transactions.append(header) } else { isCut = true }
                case .changes(let changes):
                    for change in changes { counts[Count(kind: change.kind, entity: change.entity), default: 0] += 1 }
                case .rows, .end: break
                }
            }
        }
    }

    var table: Table {
        var table = Table("TRANSACTION", "TIME", "CLOCK", "AUTHOR", "CHANGES", "SEEN")
        for transaction in transactions {
            let seen = transaction.seen.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            table.add([
                "\(transaction.sequence)", TimeText.time(transaction.clock.wallTime.unixSeconds),
                transaction.clock.description, transaction.author, "\(transaction.changeCount)",
                seen.isEmpty ? nil : seen.joined(separator: ", "),
            ])
        }
        return table
    }

    var members: [JSONMember] {
        let listed = transactions.map { transaction -> JSONValue in
            var line: [UInt8] = []
            transaction.write(to: &line)
            return (try? JSONParser.parse(line)) ?? .null
        }
        let kinds = counts.sorted { ($0.key.entity, $0.key.kind) < ($1.key.entity, $1.key.kind) }.map {
            JSONValue.object([
                JSONMember(key: "entity", value: .string($0.key.entity)),
                JSONMember(key: "kind", value: .string($0.key.kind)),
                JSONMember(key: "count", value: .integer(Int64($0.value))),
            ])
        }
        return [
            JSONMember(key: "kinds", value: .array(kinds)), JSONMember(key: "list", value: .array(listed)),
            JSONMember(key: "more", value: .boolean(isCut)),
        ]
    }
}

extension Change {
    fileprivate var kind: String {
        switch operation {
        case .insert: "insert"
        case .update: "update"
        case .delete: "delete"
        case .link: "link"
        case .unlink: "unlink"
        }
    }
}
