import CSQLite
import Foundation
import GRDB
import Synchronization

/// Watches how long the WAL has become, and copies it back into the store's file when it is worth it.
final class WALMeter: Sendable {
    /// 4 MiB of pages of 4 KiB, SQLite's own default.
    static let checkpointFrames: Int32 = 1000

    /// Bytes that the file of the WAL may keep once everything in it is copied back.
    static let idleBytes: Int64 = 4 << 20

    private let frames = Atomic<Int32>(0)

    /// Frames in the WAL after the last commit or checkpoint of this process.
    var frameCount: Int32 { frames.load(ordering: .relaxed) }

    /// Called by SQLite after each commit of the connection, which must not outlive the meter.
    func watch(_ database: Database) {
        _ = sqlite3_wal_hook(
            database.sqliteConnection,
            { context, connection, name, frameCount in
                guard let context else { return SQLITE_OK }
                let meter = Unmanaged<WALMeter>.fromOpaque(context).takeUnretainedValue()
                meter.frames.store(frameCount, ordering: .relaxed)
                if frameCount >= WALMeter.checkpointFrames {
                    _ = meter.checkpoint(connection, SQLITE_CHECKPOINT_PASSIVE)
                }
                return SQLITE_OK
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Whether the file of the WAL is longer than it has to stay, whatever of it is in use.
    func isFileLong(of path: String) -> Bool {
        var status = stat()
        return stat(path + "-wal", &status) == 0 && Int64(status.st_size) > WALMeter.idleBytes + (64 << 10)
    }

    /// Gives the space of the WAL back, unless somebody reads it just now; waits for nobody.
    func truncate(_ connection: OpaquePointer?) {
        sqlite3_busy_timeout(connection, 0)
        defer { sqlite3_busy_timeout(connection, Int32(StoreConnection.busySeconds * 1_000)) }
        checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE)
    }

    /// Copies back what no reader holds up, without waiting for anyone; true when that was everything.
    @discardableResult
    func checkpoint(_ connection: OpaquePointer?, _ mode: Int32) -> Bool {
        var inLog: Int32 = 0
        var copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(connection, "main", mode, &inLog, &copied)
        guard code == SQLITE_OK, inLog >= 0 else { return false }
        // When all is copied the next writer begins the WAL anew.
        frames.store(inLog == copied ? 0 : inLog, ordering: .relaxed)
        return inLog == copied
    }
}
