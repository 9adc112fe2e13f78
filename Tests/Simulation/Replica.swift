import Synchronization
import TestSupport
import TransactionLog
import TributaryChanges
import TributaryMigration
import TributaryModel
import TributaryStore

/// A store of the simulation.
final class Replica {
    /// An error that aborts an import.
    struct Aborted: Error {}

    private(set) var model: Model
    private var configuration: StoreConfiguration
    private(set) var store: Store
    let writer: UniqueID

    init(_ index: Int, model: Model, folder: TemporaryFolder, clock: SimulatedClock) throws {
        self.model = model
        let random = Mutex(SeededGenerator(seed: UInt64(index) + 1))
        configuration = StoreConfiguration(
            path: folder.path("replica-\(index).sqlite"),
            name: "replica-\(index)",
            model: model,
            environment: StoreEnvironment(
                wallTime: { clock.time(skew: index - 1) },
                random: { random.withLock { $0.next() } }
            )
        )
        store = try Store.open(configuration, migrator: Migrator())
        writer = try store.read { try $0.writers.own().id }
    }

    func restart() throws {
        try store.close()
        store = try Store.open(configuration, migrator: Migrator())
    }

    func grow() throws {
        let isUnique = model.entities.contains { !$0.uniquenessConstraints.isEmpty }
        model = try SimulationModel.grown(isUnique: isUnique)
        configuration.model = model
        try restart()
    }

    func close() throws { try store.close() }

    /// The last applied sequence of a writer.
    func position(of writer: UniqueID) throws -> UInt64 {
        try store.read { try $0.writers.all().first { $0.id == writer }?.sequence ?? 0 }
    }

    /// Saves changes; nil when the store refuses them.
    ///
    /// The result is the transaction in its exported form.
    func save(_ changes: [Change]) throws -> LogTransaction? {
        do {
            let committed = try store.write { try $0.commit(LocalTransaction(changes: changes)) }
            return try exported(committed.sequence)
        } catch let error as StoreError {
            switch error {
            case .duplicateID, .invalidChange: return nil
            default: throw error
            }
        }
    }

    private func exported(_ sequence: UInt64) throws -> LogTransaction? {
        var lines: [UInt8] = []
        try store.read { reader in
            try reader.outbox.localTransactions(from: sequence) { transaction in
                lines = transaction.lines
                return false
            }
        }
        let text = String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init)
        return try Replica.transactions(of: SegmentText(writer: writer, first: sequence, last: sequence, text)).first
    }

    /// Applies a segment in one SQLite transaction, as far as the dependencies of its transactions are met.
    func take(_ text: SegmentText, piece: Int, slice: Int, abortAfter limit: Int = .max) throws {
        let source = MemorySegment(text.bytes())
        let segment = try SegmentVerifier(sliceChanges: slice).verify(source, name: text.name)
        let reader = SegmentReader(
            source,
            segment: segment,
            after: try position(of: text.name.writer),
            makesRuns: piece % 2 == 0
        )
        try store.write { transaction in
            if slice % 2 == 0 { try transaction.letRowsWait() }
            var isWaiting = false
            var events = 0
            while !isWaiting, let batch = try reader.nextBatch(limit: piece) {
                for event in batch.events where !isWaiting {
                    switch event {
                    case .begin(let header):
                        let writers = try transaction.reader.writers.all()
                        for (other, sequence) in header.seen {
                            let known = writers.first { $0.id == other }?.sequence ?? 0
                            if known < sequence { isWaiting = true }
                        }
                        if !isWaiting { try transaction.beginImport(writer: text.name.writer, header: header) }
                    case .changes(let changes): try transaction.apply(changes)
                    case .rows(let run): try transaction.apply(run)
                    case .end: _ = try transaction.endImport()
                    }
                    events += 1
                    if events > limit { throw Aborted() }
                }
            }
            if limit < .max { throw Aborted() }
        }
    }

    static func transactions(of text: SegmentText) throws -> [LogTransaction] {
        let source = MemorySegment(text.bytes())
        let reader = SegmentReader(source, segment: try SegmentVerifier().verify(source, name: text.name))
        var found: [LogTransaction] = []
        while let batch = try reader.nextBatch(limit: 1000) {
            for event in batch.events {
                switch event {
                case .begin(let header): found.append(LogTransaction(header: header, changes: []))
                case .changes(let changes): found[found.count - 1].changes += changes
                case .rows, .end: break
                }
            }
        }
        return found
    }
}
