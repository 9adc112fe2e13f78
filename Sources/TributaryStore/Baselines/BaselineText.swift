import GRDB
package import TributaryChanges
import TributaryModel

/// Writes the merge state of a store as the lines of a baseline; the lines depend only on the vector and the model.
package struct BaselineText {
    let reader: Reader

    /// Omits the end line; a temporary file of SQLite sorts all changes: O(n log n) for n changes, in bounded memory.
    package func forEachLine(
        progress: (Int) throws -> Void = { _ in },
        _ write: ([UInt8]) throws -> Void
    ) throws -> BaselineCounts {
        let writers = try reader.writers.all().filter { $0.sequence > 0 }.sorted { $0.id < $1.id }
        let (layout, model) = (reader.context.layout, reader.context.layout.model)
        let header = BaselineHeader(
            model: model.version,
            modelHash: model.versionHash,
            rules: layout.rules(and: try reader.joinedRules),
            writerCount: writers.count
        )
        try write(Array("\(header.line)\n".utf8))
        var seen = BaselineSeen(writers)
        for writer in writers {
            let entry = BaselineWriter(
                id: writer.id,
                incarnation: writer.incarnation,
                sequence: writer.sequence,
                clock: writer.clock,
                seen: seen.take(writer)
            )
            try write(Array("\(entry.line)\n".utf8))
        }
        return try DatabaseQueue.scratch { scratch in
            let sorting = try BaselineSorting(scratch)
            var count = 0
            try BaselineState(reader: reader).forEach { item in
                try sorting.insert(item)
                count += 1
                if count & 0x3FF == 0 { try progress(count) }
            }
            var counts = try sorting.forEachLine(write)
            counts.writers = writers.count
            return counts
        }
    }
}

private struct BaselineSorting {
    private let scratch: Database
    private let add: BoundStatement

    private static let (deferred, kept) = (5, 6)

    init(_ scratch: Database) throws {
        self.scratch = scratch
        try scratch.execute(
            sql: """
                CREATE TABLE item(
                    part INTEGER, clock TEXT, writer TEXT, phase INTEGER, entity TEXT, id BLOB,
                    position INTEGER, sequence INTEGER, line BLOB)
                """
        )
        add = try BoundStatement(scratch, "INSERT INTO item VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
    }

    func insert(_ item: BaselineItem) throws {
        let (part, phase, entity, id): (Int, Int, String, UniqueID)
        switch item.entry {
        case .transaction: return
        case .change(let change):
            let own = change.operation.phase
            (part, phase, entity, id) = (0, item.isDeferred ? BaselineSorting.deferred : own, change.entity, change.id)
        case .kept(let change): (part, phase, entity, id) = (0, BaselineSorting.kept, "", change.id)
        case .bound(let bound): (part, phase, entity, id) = (1, 0, bound.entity, bound.id)
        // The lines of an object stay together, also when they name different entities.
        case .counter(let counter): (part, phase, entity, id) = (2, 0, "", counter.id)
        }
        let (clock, writer) = (item.version.clock.description, item.version.writer.description)
        add.bindAll(part, clock, writer, phase, entity, id, item.index, item.sequence, item.entry.lineBytes)
        try add.run()
    }

    func forEachLine(_ write: ([UInt8]) throws -> Void) throws -> BaselineCounts {
        var counts = BaselineCounts()
        try scratch.execute(
            sql:
                "CREATE INDEX item_order ON item(part, clock, writer, phase, position, entity, id, line, sequence)"
        )
        let transactions = try BoundStatement(
            scratch,
            """
            SELECT clock, writer, max(sequence), count(*), sum(phase = \(constant: BaselineSorting.kept))
            FROM item WHERE part = 0 GROUP BY clock, writer ORDER BY clock, writer
            """
        )
        let changes = try BoundStatement(
            scratch,
            """
            SELECT line FROM item WHERE part = 0 AND clock = ?1 AND writer = ?2
            ORDER BY phase, position, entity, id, line
            """
        )
        try transactions.forEach { row in
            guard let clock = HybridClock(row.text(0)), let writer = UniqueID(row.text(1)) else { return }
            let transaction = BaselineTransaction(
                writer: writer,
                sequence: UInt64(bitPattern: row.integer(2)),
                clock: clock,
                changeCount: Int(row.integer(3)),
                keptCount: Int(row.integer(4))
            )
            try write(BaselineEntry.transaction(transaction).lineBytes)
            counts.transactions += 1
            counts.changes += transaction.changeCount
            changes.bindAll(row.text(0), row.text(1))
            try changes.forEach { try write($0.bytes(0)) }
        }
        try BoundStatement(
            scratch,
            "SELECT line FROM item WHERE part > 0 ORDER BY part, clock, writer, phase, position, entity, id, line"
        ).forEach { row in
            counts.changes += 1
            try write(row.bytes(0))
        }
        return counts
    }
}

extension Change.Operation {
    /// A link also writes the register of the linked object; that value is among the values, so links come first.
    package var phase: Int {
        switch self {
        case .delete: 0
        case .unlink: 1
        case .link: 2
        case .insert: 3
        case .update: 4
        }
    }
}
