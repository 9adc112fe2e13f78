import TestSupport
import TributaryChanges
import TributaryModel

/// The imported objects: employees with six attributes, and members, teams and courses with relationships.
struct Workload: Sendable {
    /// 2024-06-20, far behind the clock of any machine that runs this.
    static let firstMillisecond: UInt64 = 1_718_900_000_000
    /// The number of teams, and of courses.
    static let groups = 1_000

    /// A writer besides the first one.
    static func otherWriter(_ number: Int) -> UniqueID {
        UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0002 + UInt64(number))
    }

    var writer = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0001)
    /// The number of changes in a log transaction.
    var transactionChanges = 100
    let ids: [UniqueID]
    /// Indexes into `ids`, each once, in random order.
    let randomOrder: [Int]
    /// Random IDs, and dates with seven decimals, which is what many producers write; else time-ordered IDs and whole seconds.
    let isRandom: Bool

    init(count: Int, isRandom: Bool = false, generator: inout SeededGenerator) {
        self.isRandom = isRandom
        let ids = (0..<count).map { index -> UniqueID in
            let random = (generator.next(), generator.next())
            guard !isRandom else {
                return UniqueID(high: random.0 & ~0xF000 | 0x4000, low: random.1 & ~(3 << 62) | 1 << 63)
            }
            // Four in a millisecond, as a busy writer makes them.
            return .version7(at: WallTime(milliseconds: Self.firstMillisecond + UInt64(index / 4)), random: random)
        }
        self.ids = isRandom ? ids : ids.sorted()
        randomOrder = Array(0..<count).shuffled(using: &generator)
    }

    var count: Int { ids.count }
    var transactions: Int { (count + transactionChanges - 1) / transactionChanges }

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
          Member:
            attributes: {name: String}
            relationships:
              team: {to: Team?, inverse: members}
              courses: {to: Course, many: true, inverse: members}
          Team:
            attributes: {name: String}
            relationships:
              members: {to: Member, many: true, inverse: team}
          Course:
            attributes: {name: String}
            relationships:
              members: {to: Member, many: true, inverse: courses}
        """

    static func model() throws -> Model { try Model(yaml: modelText) }

    func name(_ index: Int) -> String { "Employee number \(index)" }
    func note(_ index: Int) -> String { "joined with batch \(index % 977), desk \(index % 4_001)" }
    func salary(_ index: Int) -> Double { Double(index % 5_000) + 0.5 }
    func hired(_ index: Int) -> String {
        "\(1_700_000_000 + index * 7)"
            + (isRandom ? ".\(String(10_000_000 + index * 7_919 % 10_000_000).dropFirst())" : "")
    }
    func badge(_ index: Int) -> Int64 { Int64(index) * 31 }
    func isActive(_ index: Int) -> Bool { index % 3 != 0 }

    /// The line that inserts an employee.
    func insert(_ index: Int) -> String {
        let values =
            #"{"name":"\#(name(index))","note":"\#(note(index))","salary":\#(salary(index)),"#
            + #""hired":\#(hired(index)),"badge":\#(badge(index)),"active":\#(isActive(index))}"#
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

    /// The writer of the segments; a late one has clocks before those of all others.
    func segmentWriter(isLate: Bool = false) -> ForeignWriter {
        ForeignWriter(
            id: (isLate ? Self.otherWriter(0) : writer).description,
            milliseconds: Self.firstMillisecond - (isLate ? 1_000_000 : 0)
        )
    }

    /// Puts the inserts of all employees into the log folder, as one segment.
    func publishInserts(in logs: String) throws {
        var writer = segmentWriter()
        try publish((0..<count).map(insert), by: &writer, in: logs)
    }

    /// Puts changes into the log folder, as so many segments.
    func publish(_ lines: [String], by writer: inout ForeignWriter, segments: Int = 1, in logs: String) throws {
        let transactions = stride(from: 0, to: lines.count, by: transactionChanges).map { start in
            Array(lines[start..<min(lines.count, start + transactionChanges)])
        }
        for segment in 0..<segments {
            let part = transactions[
                transactions.count * segment / segments..<transactions.count * (segment + 1) / segments
            ]
            try writer.write(Array(part), to: logs)
        }
    }
}
