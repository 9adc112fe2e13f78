import Foundation
package import GRDB
import Synchronization
import TributaryChanges

#if canImport(Glibc)
    import Glibc
#endif

extension Store {
    package static func open(_ configuration: StoreConfiguration, migrator: Migrator = Migrator()) throws -> Store {
        do {
            let isNew = try createFile(at: configuration.path)
            var configuration = configuration
            // No other program can continue as the writer of a store in memory or of a scratch store.
            let token =
                configuration.memory == nil && !configuration.isScratch
                ? WriterToken(configuration) : nil
            configuration.token = token
            return try StoreError.mapping {
                let writer = try StoreConnection.writer(
                    path: configuration.path,
                    isDurable: configuration.memory == nil && !configuration.isScratch,
                    trace: configuration.trace
                )
                let layout = try writer.run { try prepare($0, configuration, migrator, token, isNew: isNew) }
                if isNew { try token?.begin(writer.run { try WriterTable($0).token() }) }
                let context = StoreContext(configuration: configuration, layout: layout)
                let meter = WALMeter()
                let readers = ReaderPool(path: configuration.path, trace: configuration.trace)
                writer.run { meter.watch($0) }
                let store = Store(context: context, writer: writer, readers: readers, meter: meter)
                let recording = try VersionRecording(of: store)
                store.recording.withLock { $0 = recording }
                return store
            }
        } catch let error as StoreError {
            guard case .database(_, let message) = error else { throw error }
            throw StoreError.cannotOpen(path: configuration.path, reason: message)
        }
    }

    /// Reads a store in one transaction without creating, migrating or recording anything.
    package static func inspect<T>(_ path: String, _ block: (Database) throws -> T) throws -> T {
        try StoreError.mapping {
            let connection = try StoreConnection.reader(path: path)
            defer { try? connection.close() }
            return try connection.run { database in
                try database.execute(sql: "BEGIN")
                defer { try? database.execute(sql: "ROLLBACK") }
                try Schema.checkHeader(database, path: path)
                return try block(database)
            }
        }
    }

    private static func prepare(
        _ database: Database,
        _ configuration: StoreConfiguration,
        _ migrator: Migrator,
        _ token: WriterToken?,
        isNew: Bool
    ) throws -> StoreModel {
        try database.execute(sql: "BEGIN IMMEDIATE")
        do {
            let layout = try Schema.open(in: database, configuration: configuration, migrator: migrator)
            let context = StoreContext(configuration: configuration, layout: layout)
            let transaction = WriteTransaction(reader: Reader(database: database, context: context))
            if !isNew { try transaction.renewIfCopied() }
            if let token {
                try token.committing(transaction) { try database.execute(sql: "COMMIT") }
            } else {
                try database.execute(sql: "COMMIT")
            }
            return layout
        } catch {
            if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
            token?.giveBack()
            throw error
        }
    }

    /// SQLite gives `-wal` and `-shm` the same mode.
    private static let fileMode: mode_t = 0o640

    private static func createFile(at path: String) throws(StoreError) -> Bool {
        let descriptor = Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, fileMode)
        if descriptor < 0 {
            guard errno != EEXIST else { return false }
            throw .cannotOpen(path: path, reason: String(cString: strerror(errno)))
        }
        defer { Glibc.close(descriptor) }
        // The umask may have removed the group's right to read.
        fchmod(descriptor, fileMode)
        return true
    }
}
