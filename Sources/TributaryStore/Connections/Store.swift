import CSQLite
import GRDB
import Synchronization
package import TributaryChanges
package import TributaryModel

/// One SQLite file: one connection writes, in FIFO order; each reader sees one generation.
package final class Store: Sendable {
    package let configuration: StoreConfiguration
    package var model: Model { configuration.model }
    package var modelHash: String { configuration.model.versionHash }
    let context: StoreContext
    let writer: StoreConnection
    let readers: ReaderPool
    let meter: WALMeter
    let isClosed = Atomic(false)
    let writeLock = ExclusiveResource(name: "the write lock of the store", isLock: true)
    let awaiting = Atomic(0)
    /// Read and written with the write lock held.
    let isTransacting = Atomic(false)
    let recording = Mutex<VersionRecording?>(nil)

    init(context: StoreContext, writer: StoreConnection, readers: ReaderPool, meter: WALMeter) {
        configuration = context.configuration
        self.context = context
        self.writer = writer
        self.readers = readers
        self.meter = meter
    }

    package var isAwaited: Bool { awaiting.load(ordering: .relaxed) > 0 }

    package func newID() -> UniqueID { configuration.environment.newID() }

    package func read<T>(_ block: (Reader) throws -> T) throws -> T {
        let connection = try readers.lend()
        defer { readers.giveBack(connection) }
        return try connection.run { database in
            try StoreError.mapping {
                try BoundStatement(database, "BEGIN DEFERRED").run()
                return try block(Reader(database: database, context: context))
            }
        }
    }

    /// The disk error that prevents copying the WAL; commits stay durable in the WAL, which grows.
    package var checkpointFailure: StoreError? {
        meter.failureCode.map { .database(code: $0, message: String(cString: sqlite3_errstr($0))) }
    }

    /// Waits for readers before closing, so that the WAL is empty afterwards.
    private static let closingMilliseconds: Int32 = 200

    /// Reads that have begun continue; later calls throw `closed`.
    package func close() throws {
        guard !isClosed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        readers.close()
        defer { configuration.memory?.remove() }
        try StoreError.mapping {
            writer.run { database in
                // The checkpoint blocks writers while it waits for readers: another store that is closing would starve.
                sqlite3_busy_timeout(database.sqliteConnection, Store.closingMilliseconds)
                if !meter.checkpoint(database.sqliteConnection, SQLITE_CHECKPOINT_TRUNCATE) {
                    meter.checkpoint(database.sqliteConnection, SQLITE_CHECKPOINT_PASSIVE)
                }
            }
            try writer.close()
            configuration.token?.close()
        }
    }

    func checkOpen() throws {
        if isClosed.load(ordering: .sequentiallyConsistent) { throw StoreError.closed }
    }
}
