import TestSupport
import TransactionLog
import TributaryChanges

/// The costs of importing segments.
enum ImportRows {
    /// The number of unused attributes of a worker.
    static let spareAttributes = 14

    static let all = [
        row("a backlog of segments of one writer", 2_500) { folder, count in
            var writer = foreignWriter()
            for number in 0..<count { try writer.write([[insert("Worker", number)]], to: folder.logs) }
        },
        row("segments of writers that are heard of once", 500) { folder, count in
            for number in 0..<count {
                var writer = foreignWriter(number)
                try writer.write([[insert("Worker", number)]], to: folder.logs)
            }
        },
        row("segments that name a wrong segment before", 1_000) { folder, count in
            let writer = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000)
            for number in 1...UInt64(count) {
                let header = SegmentHeader(
                    writer: writer,
                    first: number,
                    last: number,
                    previous: number == 1 ? nil : String(repeating: "ab", count: 32)
                )
                let lines = [begin(number), insert("Worker", Int(number))]
                try folder.publish(SegmentText(writer: writer, first: number, last: number, lines, header: header.line))
            }
        },
        // They have n² transactions.
        row("segments of one writer that all begin with the first transaction", 75, .quadratic) { folder, count in
            let writer = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000)
            for last in 1...UInt64(count) {
                let lines = (1...last).flatMap { [begin($0), insert("Worker", Int($0))] }
                try folder.publish(SegmentText(writer: writer, last: last, lines))
            }
        },
        row("writers that go on from each other, in random order", 500) { folder, count in
            // The order of the identifiers is that in which the planner looks at the writers.
            var (numbers, generator) = (Array(0..<count), SeededGenerator(seed: 1))
            numbers.shuffle(using: &generator)
            for place in numbers.indices {
                try folder.publish(
                    incarnation(
                        numbers[place],
                        after: place == 0 ? nil : numbers[place - 1],
                        at: place,
                        [
                            insert("Worker", place)
                        ]
                    )
                )
            }
        },
        row("a change by each incarnation of what the first one has written", 500) { folder, count in
            try folder.publish(incarnation(0, after: nil, at: 0, (0..<count).map { insert("Worker", $0) }))
            for place in 1..<count {
                let update = #"{"update":"Worker","id":"\#(id(place))","values":{"name":"new"}}"#
                try folder.publish(incarnation(place, after: place - 1, at: place, [update]))
            }
        },
        row("one-to-one claims on one target", 1_000) { folder, count in
            var writer = foreignWriter()
            var lines = [insert("Works", 0)]
            for number in 1...count {
                lines.append(insert("Worker", number, #","values":{"guards":"\#(id(0))"}"#))
            }
            try writer.write([lines], to: folder.logs)
        },
        row("links onto one object that nobody inserted, then others", 2_500) { folder, count in
            var writer = foreignWriter()
            let links = (1...count).map {
                #"{"link":"Worker","id":"\#(id($0))","to":"visits","ids":["\#(id(0))"]}"#
            }
            let others = (1...count).map { insert("Works", $0) }
            try writer.write([links, others], to: folder.logs)
        },
        row("distinct sets of properties in updates", 500) { folder, count in
            var writer = foreignWriter()
            var lines = [insert("Worker", 0)]
            for number in 1...count {
                let values = (0..<spareAttributes).filter { number >> $0 & 1 == 1 }.map { #""spare\#($0)":\#(number)"# }
                lines.append(#"{"update":"Worker","id":"\#(id(0))","values":{\#(values.joined(separator: ","))}}"#)
            }
            try writer.write(lines.map { [$0] }, to: folder.logs)
        },
        row("writers named by 'seen', then small segments", 2_000) { folder, count in
            let writer = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000)
            let all = (1...count).map { #""\#(id($0))":0"# }.joined(separator: ",")
            for sequence in 1...20 {
                let seen = sequence == 1 ? #","seen":{\#(all)}"# : ""
                let clock = hexadecimal16((1_718_900_000_000 + UInt64(sequence)) << 16)
                let lines = [
                    #"{"transaction":\#(sequence),"clock":"\#(clock)","changes":1\#(seen)}"#,
                    insert("Worker", sequence),
                ]
                let text = SegmentText(writer: writer, first: UInt64(sequence), last: UInt64(sequence), lines)
                try folder.publish(text)
            }
        },
    ]

    private static func row(
        _ title: String,
        _ smallest: Int,
        _ order: GrowthRow.Order = .linear,
        _ write: @escaping @Sendable (ImportedFolder, Int) throws -> Void
    ) -> GrowthRow {
        GrowthRow(title: title, order: order, smallest: smallest) { count in
            let folder = try ImportedFolder()
            try write(folder, count)
            return try await GrowthRow.processorMilliseconds { try await folder.importAll() }
        }
    }

    private static func begin(_ sequence: UInt64) -> String {
        #"{"transaction":\#(sequence),"clock":"\#(hexadecimal16((1_718_900_000_000 + sequence) << 16))","changes":1}"#
    }

    /// A segment of one transaction by a writer of one store, which goes on from another writer.
    private static func incarnation(_ number: Int, after: Int?, at time: Int, _ changes: [String]) -> SegmentText {
        let writer = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0100_0000 | UInt64(number))
        let store = UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0200_0000)
        let former = after.map {
            Incarnation.Predecessor(
                writer: UniqueID(high: writer.high, low: 0x8000_0000_0100_0000 | UInt64($0)),
                sequence: 1
            )
        }
        let header = SegmentHeader(
            writer: writer,
            first: 1,
            last: 1,
            incarnation: Incarnation(store: store, after: former)
        )
        let clock = hexadecimal16((1_718_900_000_000 + UInt64(time)) << 16)
        let begin = #"{"transaction":1,"clock":"\#(clock)","changes":\#(changes.count)}"#
        return SegmentText(writer: writer, last: 1, [begin] + changes, header: header.line)
    }

    static func foreignWriter(_ number: Int = 0) -> ForeignWriter {
        ForeignWriter(id: id(1_000_000 + number), milliseconds: 1_718_900_000_000)
    }

    static func insert(_ entity: String, _ number: Int, _ rest: String = "") -> String {
        #"{"insert":"\#(entity)","id":"\#(id(number))"\#(rest)}"#
    }

    private static func id(_ number: Int) -> String {
        UniqueID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | UInt64(number)).description
    }
}
