import CSQLite
import GRDB
import Synchronization
package import TributaryChanges
package import TributaryModel

/// One SQLite file with the state of the merge, its history and its positions.
///
/// One connection writes, first come, first served; readers see one generation each.
package final class Store: Sendable {
    package let configuration: StoreConfiguration
    package var model: Model { configuration.model }
    let context: StoreContext
    let writer: StoreConnection
    let readers: ReaderPool
    let meter: WALMeter
    let isClosed = Atomic(false)
    /// Held by whoever uses the writer connection.
    let writeLock = ExclusiveResource(name: "the write lock of the store", isLock: true)
    /// Whether a transaction is open on the writer; read and written in the writer's turn.
    let isTransacting = Atomic(false)
    /// What writes down the older versions of a new store's model.
    let recording = Mutex<VersionRecording?>(nil)

    init(context: StoreContext, writer: StoreConnection, readers: ReaderPool, meter: WALMeter) {
        configuration = context.configuration
        self.context = context
        self.writer = writer
        self.readers = readers
        self.meter = meter
    }

    /// The ID of a new object.
    package func newID() -> UniqueID { configuration.environment.newID() }

    /// Reads what is committed when it begins.
    package func read<T>(_ body: (Reader) throws -> T) throws -> T {
        let connection = try readers.take()
        defer { readers.giveBack(connection) }
        return try connection.run { database in
            try StoreError.mapping {
                try database.execute(sql: "BEGIN DEFERRED")
                return try body(Reader(database: database, context: context))
            }
        }
    }

    /// How long closing waits for readers, to leave an empty WAL.
    private static let closingMilliseconds: Int32 = 200

    /// Copies the WAL back and closes every connection.
    ///
    /// Later calls throw `StoreError.closed`, and so do reads of generations; reads that have begun go on.
    package func close() throws {
        guard !isClosed.exchange(true, ordering: .sequentiallyConsistent) else { return }
        readers.close()
        defer { configuration.memory?.remove() }
        try StoreError.mapping {
            writer.run { database in
                // The checkpoint keeps writers out while it waits for readers: another that is closing too would starve.
                sqlite3_busy_timeout(database.sqliteConnection, Store.closingMilliseconds)
                if !meter.checkpoint(database.sqliteConnection, SQLITE_CHECKPOINT_TRUNCATE) {
                    meter.checkpoint(database.sqliteConnection, SQLITE_CHECKPOINT_PASSIVE)
                }
            }
            try writer.close()
        }
    }

    func checkOpen() throws {
        if isClosed.load(ordering: .sequentiallyConsistent) { throw StoreError.closed }
    }
}
