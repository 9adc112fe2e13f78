import GRDB
import TributaryChanges

/// Sorts the parts of a baseline in a temporary database.
struct BaselineSorting {
    private let scratch: Database
    private let add: BoundStatement

    /// The order of the changes of one version.
    ///
    /// A deletion comes before what follows it in its transaction. Links come before the values of objects, because
    /// linking an object to its owner also writes the object's register, whose value is among those.
    private enum Phase: Int64 {
        case delete, unlink, link, insert, update, bound, counter
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
        case .change(let change, let version, let index, let sequence):
            var line: [UInt8] = []
            change.inNameOrder.write(to: &line)
            add.bind(1, Int64(0))
            bind(index: Int64(index ?? -1), sequence: Int64(bitPattern: sequence))
            try insert(version, phase: BaselineSorting.phase(change), change.entity, change.id, line)
        case .bound(let bound):
            add.bind(1, Int64(1))
            bind(index: -1, sequence: 0)
            try insert(.none, phase: .bound, bound.entity, bound.id, BaselineSorting.bytes(bound.line))
        case .counter(let counter):
            add.bind(1, Int64(2))
            bind(index: -1, sequence: 0)
            try insert(.none, phase: .counter, counter.entity, counter.id, BaselineSorting.bytes(counter.line))
        }
    }

    private func bind(index: Int64, sequence: Int64) {
        add.bind(4, index)
        add.bind(8, sequence)
    }

    private func insert(
        _ version: Version,
        phase: Phase,
        _ entity: String,
        _ id: UniqueID,
        _ line: [UInt8]
    ) throws {
        add.bind(2, version.clock.description)
        add.bind(3, version.writer.description)
        add.bind(5, phase.rawValue)
        add.bind(6, entity)
        add.bind(7, id)
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
    func forEachLine(_ write: ([UInt8]) throws -> Void) throws -> BaselineCounts {
        var counts = BaselineCounts()
        try scratch.execute(
            sql: "CREATE INDEX item_order ON item(part, clock, writer, position, phase, entity, id, line, sequence)"
        )
        let transactions = try BoundStatement(
            scratch,
            """
            SELECT clock, writer, position, max(sequence), count(*) FROM item WHERE part = 0
            GROUP BY clock, writer, position ORDER BY clock, writer, position
            """
        )
        let changes = try BoundStatement(
            scratch,
            """
            SELECT line FROM item WHERE part = 0 AND clock = ?1 AND writer = ?2 AND position = ?3
            ORDER BY phase, entity, id, line
            """
        )
        try transactions.forEach { row in
            guard let clock = HybridClock(row.text(0)), let writer = UniqueID(row.text(1)) else { return }
            let transaction = BaselineTransaction(
                writer: writer,
                sequence: UInt64(bitPattern: row.integer(3)),
                clock: clock,
                index: row.integer(2) < 0 ? nil : Int(row.integer(2)),
                changeCount: Int(row.integer(4))
            )
            try write(BaselineSorting.bytes(transaction.line))
            counts.transactions += 1
            counts.changes += transaction.changeCount
            changes.bind(1, row.text(0))
            changes.bind(2, row.text(1))
            changes.bind(3, row.integer(2))
            try changes.forEach { try write($0.bytes(0)) }
        }
        let rest = try BoundStatement(
            scratch,
            "SELECT line FROM item WHERE part > 0 ORDER BY part, clock, writer, position, phase, entity, id, line"
        )
        try rest.forEach { row in
            counts.changes += 1
            try write(row.bytes(0))
        }
        return counts
    }
}

extension Change {
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
