import TestSupport
import TributaryChanges

/// A schedule is a line with its numbers, and its steps.
extension Schedule: CustomStringConvertible {
    package var description: String {
        (["schedule \(replicas) \(producers) \(seed)\(isUnique ? " unique" : "")"] + steps.map(\.description)).joined(
            separator: "\n"
        ) + "\n"
    }

    /// Reads the text of a schedule.
    ///
    /// - Throws: ``Divergence`` that names a line which is none of a schedule; what reading the changes throws.
    package init(text: String) throws {
        var lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }[...]
        let words = (lines.popFirst() ?? "").split(separator: " ")
        let numbers = words.compactMap { UInt64($0) }
        guard numbers.count == 3 else {
            throw Divergence("the first line is not 'schedule REPLICAS PRODUCERS SEED', or that and 'unique'")
        }
        let isUnique = words.last == "unique"
        self.init(replicas: Int(numbers[0]), producers: Int(numbers[1]), seed: numbers[2], isUnique: isUnique, [])
        while let line = lines.popFirst() {
            var changes: [String] = []
            while let next = lines.first, next.hasPrefix(" ") {
                changes.append(String(next.drop { $0 == " " }))
                lines.removeFirst()
            }
            guard let step = Step(String(line), changes: try Schedule.changes(changes)) else {
                throw Divergence("this is not a step: \(line)")
            }
            steps.append(step)
        }
    }

    private static func changes(_ lines: [String]) throws -> [Change] {
        guard !lines.isEmpty else { return [] }
        var header: [UInt8] = []
        TransactionHeader(sequence: 1, clock: HybridClock(milliseconds: 1), changeCount: lines.count).write(to: &header)
        let first = String(decoding: header.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let text = SegmentText(writer: UniqueID(high: 1, low: 1), last: 1, [first] + lines)
        return try text.transactions().flatMap(\.changes)
    }
}
