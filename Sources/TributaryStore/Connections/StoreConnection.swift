import CSQLite
import Dispatch
import GRDB

/// One SQLite connection with its own queue and the store's settings.
struct StoreConnection: Sendable {
    private let queue: DatabaseQueue
    /// The tracer lives as long as the connection.
    private let tracer: StatementTracer?

    private init(path: String, _ configuration: Configuration, _ trace: SQLTrace?) throws {
        let tracer = trace.map { StatementTracer($0) }
        var configuration = configuration
        if let tracer { configuration.prepareDatabase { tracer.watch($0.sqliteConnection) } }
        self.tracer = tracer
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Opens the connection that writes.
    ///
    /// Without `isDurable`, commits do not wait for the disk.
    static func writer(path: String, isDurable: Bool = true, trace: SQLTrace? = nil) throws -> StoreConnection {
        var configuration = baseConfiguration(label: "tributary.writer")
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = \(isDurable ? "FULL" : "OFF");
                    PRAGMA cache_size = \(-writerCacheKiB);
                    PRAGMA temp_store = MEMORY;
                    """
            )
            try keepWAL(database)
            try StringFunctions.register(in: database)
        }
        return try StoreConnection(path: path, configuration, trace)
    }

    /// Opens a connection that only reads.
    static func reader(path: String, trace: SQLTrace? = nil) throws -> StoreConnection {
        var configuration = baseConfiguration(label: "tributary.reader")
        configuration.readonly = true
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA cache_size = \(-readerCacheKiB); PRAGMA temp_store = MEMORY;")
            try keepWAL(database)
            try StringFunctions.register(in: database)
        }
        return try StoreConnection(path: path, configuration, trace)
    }

    /// Runs `block` on the connection in FIFO order; one thread may nest the calls.
    func run<T>(_ block: (Database) throws -> T) rethrows -> T {
        try queue.unsafeReentrantRead(block)
    }

    /// Runs `block` on the connection in FIFO order with `run`, without blocking the caller.
    func enqueue(_ block: @escaping @Sendable (Database) -> Void) {
        queue.asyncWriteWithoutTransaction(block)
    }

    func close() throws {
        try queue.close()
    }

    /// The writer's cache; no other setting matters as much for imports in random order.
    private static let writerCacheKiB = 24 << 10
    private static let readerCacheKiB = 2 << 10
    /// The time for which a write waits for the write of another process.
    static let busySeconds = 10.0

    private static func baseConfiguration(label: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = label
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(busySeconds)
        // A generation is a read transaction that stays open between reads.
        configuration.allowsUnsafeTransactions = true
        // GRDB asks for `userInitiated`. On Linux Dispatch then lowers the nice value of its threads, which takes a
        // privilege, and complains in the system's log without it.
        configuration.qos = .default
        return configuration
    }

    /// Keeps `-wal` and `-shm` when the last connection closes: a reader without write permission needs them.
    private static func keepWAL(_ database: Database) throws {
        var on: CInt = 1
        let code = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
        guard code == SQLITE_OK else { throw StoreError.database(of: database.sqliteConnection) }
    }
}
