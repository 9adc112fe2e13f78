import StoreTestSupport
import TestSupport
import Testing
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// A store that is migrated to a newer model, and a store with that model from the beginning.
///
/// Both stores apply the same transactions.
final class MigrationStory {
    let old: Model
    let new: Model
    let migrated: Replica
    let fresh: Replica
    private var sequence: UInt64 = 0

    init(_ versions: String...) throws {
        let models = try versions.enumerated().map { index, text in
            try Model(yaml: "version: \"\(index + 1)\"\nentities:\n" + text)
        }
        old = models[0]
        new = models[models.count - 1].succeeding(Array(models.dropLast()))
        migrated = try Replica(old)
        fresh = try Replica(new)
    }

    func apply(_ changes: Change...) throws { try apply(changes) }

    func apply(_ changes: [Change]) throws {
        sequence += 1
        let transaction = ForeignTransaction(1, sequence, clock: sequence, changes)
        try migrated.apply(transaction)
        try fresh.apply(transaction)
    }

    func migrate() throws { try migrated.reopen(new) }

    /// Opens both stores with a third version of the model.
    func reopen(_ entities: String) throws {
        let third = try Model(yaml: "version: \"3\"\nentities:\n" + entities)
        for replica in [migrated, fresh] { try replica.reopen(third) }
    }

    /// Exchanges the transactions that each store has written itself.
    func exchange() throws {
        try MigrationStory.send(from: migrated, to: fresh)
        try MigrationStory.send(from: fresh, to: migrated)
    }

    /// Expects equal whole stores, including the values that readers see.
    func expectOneState(_ location: SourceLocation = #_sourceLocation) throws {
        try exchange()
        let (first, second) = (try migrated.dump(), try fresh.dump())
        let (left, right) = (Set(first.split(separator: "\n")), Set(second.split(separator: "\n")))
        #expect(
            first == second,
            "only migrated: \(left.subtracting(right).sorted())\nonly fresh: \(right.subtracting(left).sorted())",
            sourceLocation: location
        )
        #expect(try migrated.digest() == fresh.digest(), sourceLocation: location)
    }

    func migrateToOneState(_ location: SourceLocation = #_sourceLocation) throws {
        try migrate()
        try expectOneState(location)
    }

    func written() throws -> Int {
        try migrated.store.read { try $0.outbox.unexported() }
            .map { try MigrationStory.transactions(migrated, of: $0.writer, from: $0.first).count }.reduce(0, +)
    }

    func rows(_ query: String) throws -> [[String?]] { try PlainSQL(path: migrated.path).rows(query) }

    func value(_ query: String) throws -> String? { try PlainSQL(path: migrated.path).value(query) }

    private static func transactions(
        _ replica: Replica,
        of writer: UniqueID,
        from first: UInt64
    ) throws -> [LogTransaction] {
        var lines: [String] = []
        var last = first - 1
        try replica.store.read { reader in
            try reader.outbox.localTransactions(of: writer, from: first) { transaction in
                lines += String(decoding: transaction.lines, as: UTF8.self).split(separator: "\n").map(String.init)
                last = transaction.sequence
                return true
            }
        }
        guard last >= first else { return [] }
        return try SegmentText(writer: writer, first: first, last: last, lines).transactions()
    }

    /// Sends what the target does not have, of each writer that the source was: a store with a clock that is ahead continues
    /// as a fresh writer.
    static func send(from source: Replica, to target: Replica) throws {
        for (writer, first) in try source.store.read({ try $0.outbox.unexported() }) {
            let known = try target.store.read { try $0.writers.all().first { $0.id == writer }?.sequence ?? 0 }
            for transaction in try transactions(source, of: writer, from: max(first, known + 1)) {
                try target.store.write { write in
                    try write.beginImport(writer: writer, header: transaction.header)
                    try write.apply(transaction.changes)
                    _ = try write.endImport()
                }
            }
        }
    }
}

extension Replica {
    /// Joins a baseline of what another store has.
    func join(_ other: Replica) throws {
        var bytes: [UInt8] = []
        _ = try other.store.read { try $0.baseline.forEachLine { bytes += $0 } }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let source = MemorySegment(SegmentText.baseline(lines))
        let baseline = try VerifiedBaseline.verify(source)
        let reader = BaselineReader(source, baseline)
        _ = try store.write { write in
            try write.joinBaseline(
                baseline.header,
                writers: baseline.writers,
                transactionCount: Int(clamping: baseline.end.transactions)
            ) { try reader.next() }
        }
    }
}
