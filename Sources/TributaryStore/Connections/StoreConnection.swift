import CSQLite
import Dispatch
import GRDB

struct StoreConnection: Sendable {
    private let queue: DatabaseQueue
    /// Held here, because SQLite's pointer to it is unretained.
    private let tracer: StatementTracer?

    private init(path: String, _ configuration: Configuration, _ trace: SQLTrace?) throws {
        let tracer = trace.map { StatementTracer($0) }
        var configuration = configuration
        if let tracer { configuration.prepareDatabase { tracer.watch($0.sqliteConnection) } }
        self.tracer = tracer
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

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

    /// FIFO order, together with `enqueue`; calls may nest on one thread.
    func run<T>(_ block: (Database) throws -> T) rethrows -> T {
        try queue.unsafeReentrantRead(block)
    }

    func enqueue(_ block: @escaping @Sendable (Database) -> Void) {
        queue.asyncWriteWithoutTransaction(block)
    }

    func close() throws {
        try queue.close()
    }

    /// The cache size affects imports in random order more than any other setting.
    private static let writerCacheKiB = 24 << 10
    private static let readerCacheKiB = 2 << 10
    static let busySeconds = 10.0

    private static func baseConfiguration(label: String) -> Configuration {
        var configuration = Configuration()
        configuration.label = label
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(busySeconds)
        // A generation is a read transaction that stays open between reads.
        configuration.allowsUnsafeTransactions = true
        // GRDB's default, `userInitiated`, makes Dispatch lower the nice value of its threads. On Linux that needs a
        // privilege; without it, Dispatch writes complaints to the system log.
        configuration.qos = .default
        return configuration
    }

    /// A reader without write permission needs `-wal` and `-shm` after the last connection has closed.
    private static func keepWAL(_ database: Database) throws {
        var on: CInt = 1
        let code = sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &on)
        guard code == SQLITE_OK else { throw StoreError.database(of: database.sqliteConnection) }
    }
}

/// Reads the clock itself, because SQLite's times are in milliseconds.
///
/// `@unchecked Sendable`: SQLite calls the tracer only on the connection's queue.
final class StatementTracer: @unchecked Sendable {
    private struct Run {
        let start: ContinuousClock.Instant
        var rows = 0
    }

    private let trace: SQLTrace
    private var runs: [OpaquePointer: Run] = [:]

    init(_ trace: SQLTrace) {
        self.trace = trace
    }

    /// The connection must not outlive the tracer.
    func watch(_ connection: OpaquePointer?) {
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE)
        sqlite3_trace_v2(
            connection,
            events,
            { event, context, statement, _ in
                guard let context, let statement else { return 0 }
                let tracer = Unmanaged<StatementTracer>.fromOpaque(context).takeUnretainedValue()
                tracer.handle(Int32(bitPattern: event), OpaquePointer(statement))
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    private func handle(_ event: Int32, _ statement: OpaquePointer) {
        switch event {
        case SQLITE_TRACE_STMT:
            // SQLite reports the triggers of a running statement under the pointer of that statement.
            if runs[statement] == nil { runs[statement] = Run(start: .now) }
        case SQLITE_TRACE_ROW: runs[statement]?.rows += 1
        default:
            guard let run = runs.removeValue(forKey: statement) else { return }
            trace.handler(text(statement), run.start.duration(to: .now), run.rows)
        }
    }

    private func text(_ statement: OpaquePointer) -> String {
        if trace.includesValues, let expanded = sqlite3_expanded_sql(statement) {
            defer { sqlite3_free(expanded) }
            return String(cString: expanded)
        }
        return sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    }
}

package struct SQLTrace: Sendable {
    package var includesValues: Bool
    package var handler: @Sendable (_ text: String, _ duration: Duration, _ rows: Int) -> Void

    package init(
        includesValues: Bool,
        handler: @escaping @Sendable (_ text: String, _ duration: Duration, _ rows: Int) -> Void
    ) {
        self.includesValues = includesValues
        self.handler = handler
    }
}

package enum SQLiteMemory {
    /// SQLite locks one mutex for its account in each allocation, so a read could wait for an import.
    ///
    /// Call it before opening the first store; returns false if SQLite is already initialized.
    @discardableResult
    package static func disableAccounting() -> Bool {
        csqlite_disable_memory_accounting() == SQLITE_OK
    }
}
