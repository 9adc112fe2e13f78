import TestSupport
import TransactionLog
import TributaryChanges
import TributaryModel

/// The imported changes: inserts of employees with six attributes and time-ordered IDs, then an update of one
/// attribute of each employee in random order.
struct Workload: Sendable {
    static let columns = ["name", "note", "salary", "hired", "badge", "active"]
    /// A writer besides the first one.
    static func otherWriter(_ number: Int) -> UniqueID {
        UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002 + UInt64(number))
    }

    /// 2024-06-20, far behind the clock of any machine that runs this.
    static let firstMillisecond: UInt64 = 1_718_900_000_000

    var writer = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    /// The number of changes in a log transaction.
    var transactionChanges = 100
    let ids: [UniqueID]
    /// Indexes into `ids`, each once, in random order.
    let updateOrder: [Int]

    init(count: Int, generator: inout SeededGenerator) {
        ids = (0..<count).map { index in
            // Four in a millisecond, as a busy writer makes them.
            let time = WallTime(milliseconds: Self.firstMillisecond + UInt64(index / 4))
            return .version7(at: time, random: (generator.next(), generator.next()))
        }.sorted()
        updateOrder = Array(0..<count).shuffled(using: &generator)
    }

    var count: Int { ids.count }

    /// The model as YAML.
    static let modelText = """
        version: benchmark
        entities:
          Employee:
            attributes:
              name: String
              note: String
              salary: Double
              hired: Date
              badge: Integer 64
              active: Boolean
        """

    static func model() throws -> Model { try Model(yaml: modelText) }

    func name(_ index: Int) -> String { "Employee number \(index)" }
    func note(_ index: Int) -> String { "joined with batch \(index % 977), desk \(index % 4_001)" }
    func salary(_ index: Int) -> Double { Double(index % 5_000) + 0.5 }
    func hired(_ index: Int) -> Double { 1_700_000_000 + Double(index) * 7 }
    func badge(_ index: Int) -> Int64 { Int64(index) * 31 }
    func isActive(_ index: Int) -> Bool { index % 3 != 0 }
    func raisedSalary(_ index: Int) -> Double { salary(index) + 1_000 }

    /// Puts the segment of inserts into the log folder; returns its hash for the header of the next.
    func publishInserts(in logs: String) throws -> String {
        try publish(in: logs, first: 1, previous: nil, line: insert)
    }

    /// The line that inserts an employee.
    func insert(_ index: Int) -> String {
        let values =
            #"{"name":"\#(name(index))","note":"\#(note(index))","salary":\#(salary(index)),"#
            + #""hired":\#(Int64(hired(index))),"badge":\#(badge(index)),"active":\#(isActive(index))}"#
        return #"{"insert":"Employee","id":"\#(ids[index])","values":\#(values)}"#
    }

    /// The body of a request that inserts employees.
    static func request(inserts count: Int) -> String {
        let changes = (0..<count).map { index in
            #"{"insert":"Employee","values":{"name":"Employee number \#(index)","note":"desk \#(index % 4_001)","salary":1,"#
                + #""hired":1700000000,"badge":\#(index),"active":true}}"#
        }
        return #"{"changes":[\#(changes.joined(separator: ","))]}"#
    }

    /// Puts the segment of updates behind it.
    func publishUpdates(in logs: String, previous: String) throws {
        _ = try publish(in: logs, first: UInt64(transactions) + 1, previous: previous) { position in
            let index = updateOrder[position]
            return #"{"update":"Employee","id":"\#(ids[index])","values":{"salary":\#(raisedSalary(index))}}"#
        }
    }

    var transactions: Int { (count + transactionChanges - 1) / transactionChanges }

    private func publish(in logs: String, first: UInt64, previous: String?, line: (Int) -> String) throws -> String {
        let name = SegmentName(writer: writer, first: first, last: first + UInt64(transactions) - 1)
        let header = SegmentHeader(
            writer: writer,
            name: "benchmark",
            first: name.first,
            last: name.last,
            previous: previous
        )
        let end = try SegmentPublisher(LogFolder(path: logs)).publish(name, header: header.line) { file in
            for transaction in 0..<transactions {
                let range = transaction * transactionChanges..<min(count, (transaction + 1) * transactionChanges)
                let sequence = first + UInt64(transaction)
                let clock = hexadecimal16((Self.firstMillisecond + sequence) << 16)
                var text = "{\"transaction\":\(sequence),\"clock\":\"\(clock)\",\"changes\":\(range.count)}\n"
                for index in range { text += line(index) + "\n" }
                try file.append(lines: Array(text.utf8), changes: range.count)
            }
        }
        return end.sha256
    }
}
