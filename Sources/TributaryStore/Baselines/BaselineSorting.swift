import GRDB
import TributaryChanges

/// Sorts the parts of a baseline in a temporary database.
struct BaselineSorting {
    private let scratch: Database
    private let add: BoundStatement

    /// The order of the changes of one version: a deletion comes before what follows it in its transaction.
    private enum Phase: Int64 {
        case delete, insert, update, unlink, link, bound, counter
    }

    init(_ scratch: Database) throws {
        self.scratch = scratch
        try scratch.execute(
            sql: """
                CREATE TABLE item(
                    part INTEGER, clock TEXT, writer TEXT, position INTEGER, phase INTEGER, entity TEXT, id BLOB,
                    sequence INTEGER, line BLOB)
                """
        )
        add = try BoundStatement(scratch, "INSERT INTO item VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
    }

    mutating func insert(_ item: BaselineItem) throws {
        switch item {
        case .change(let change, let version, let sequence):
            var line: [UInt8] = []
            change.inNameOrder.write(to: &line)
            try insert(part: 0, version, phase: BaselineSorting.phase(change), change.entity, change.id, sequence, line)
        case .bound(let bound):
            try insert(part: 1, .none, phase: .bound, bound.entity, bound.id, 0, BaselineSorting.bytes(bound.line))
        case .counter(let counter):
            let line = BaselineSorting.bytes(counter.line)
            try insert(part: 2, .none, phase: .counter, counter.entity, counter.id, 0, line)
        }
    }

    private func insert(
        part: Int64,
        _ version: Version,
        phase: Phase,
        _ entity: String,
        _ id: UniqueID,
        _ sequence: UInt64,
        _ line: [UInt8]
    ) throws {
        add.bind(1, part)
        add.bind(2, version.clock.description)
        add.bind(3, version.writer.description)
        add.bind(4, Int64(version.index))
        add.bind(5, phase.rawValue)
        add.bind(6, entity)
        add.bind(7, id)
        add.bind(8, Int64(bitPattern: sequence))
        add.bind(9, line)
        try add.run()
    }

    private static func phase(_ change: Change) -> Phase {
        switch change.operation {
        case .delete: .delete
        case .insert: .insert
        case .update: .update
        case .unlink: .unlink
        case .link: .link
        }
    }

    private static func bytes(_ line: String) -> [UInt8] { Array(line.utf8) + [UInt8(ascii: "\n")] }

    /// Hands the sorted lines to `write`, with a line before the changes of each transaction.
    func forEachLine(_ write: ([UInt8]) throws -> Void) throws -> BaselineText.Counts {
        var counts = BaselineText.Counts()
        try scratch.execute(
            sql: "CREATE INDEX item_order ON item(part, clock, writer, position, phase, entity, id, line)"
        )
        let select = try BoundStatement(
            scratch,
            """
            SELECT part, clock, writer, position, sequence, line FROM item
            ORDER BY part, clock, writer, position, phase, entity, id, line
            """
        )
        var head: BaselineTransaction?
        var lines: [UInt8] = []
        func flush() throws {
            guard var transaction = head else { return }
            transaction.changeCount = counts.changes - transaction.changeCount
            try write(BaselineSorting.bytes(transaction.line) + lines)
            counts.transactions += 1
            head = nil
            lines = []
        }
        try select.forEach { row in
            guard row.integer(0) == 0, let clock = HybridClock(row.text(1)), let writer = UniqueID(row.text(2)) else {
                try flush()
                counts.changes += 1
                return try write(row.bytes(5))
            }
            let index = Int(row.integer(3))
            if head?.clock != clock || head?.writer != writer || head?.index != index {
                try flush()
                head = BaselineTransaction(
                    writer: writer,
                    sequence: UInt64(bitPattern: row.integer(4)),
                    clock: clock,
                    index: index,
                    changeCount: counts.changes
                )
            }
            lines += row.bytes(5)
            counts.changes += 1
        }
        try flush()
        return counts
    }
}

extension Change {
    /// The change with its values in the order of their names.
    fileprivate var inNameOrder: Change {
        func sorted(_ writes: [PropertyWrite]) -> [PropertyWrite] {
            writes.sorted { $0.name.precedesByBytes($1.name) }
        }
        var change = self
        switch operation {
        case .insert(let writes): change.operation = .insert(sorted(writes))
        case .update(let writes): change.operation = .update(sorted(writes))
        case .delete, .link, .unlink: break
        }
        return change
    }
}
