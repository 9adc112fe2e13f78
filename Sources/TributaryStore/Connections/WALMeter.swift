import CSQLite
import Foundation
import GRDB
import Synchronization

final class WALMeter: Sendable {
    /// SQLite's own default: 4 MiB.
    static let checkpointFrames: Int32 = 1000

    /// The maximum size of a WAL file that is completely copied.
    static let idleBytes: Int64 = 4 << 20

    private let frames = Atomic<Int32>(0)
    /// SQLite's code if the disk failed during the last checkpoint; 0 after a complete copy.
    private let failure = Atomic<Int32>(0)

    var frameCount: Int32 { frames.load(ordering: .relaxed) }

    var failureCode: Int32? {
        let code = failure.load(ordering: .relaxed)
        return code == 0 ? nil : code
    }

    /// The connection must not outlive the meter.
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

    func isFileLong(of path: String) -> Bool {
        var status = stat()
        return stat(path + "-wal", &status) == 0 && Int64(status.st_size) > WALMeter.idleBytes + (64 << 10)
    }

    func truncate(_ connection: OpaquePointer?) {
        sqlite3_busy_timeout(connection, 0)
        defer { sqlite3_busy_timeout(connection, Int32(StoreConnection.busySeconds * 1_000)) }
        checkpoint(connection, SQLITE_CHECKPOINT_TRUNCATE)
    }

    @discardableResult
    func checkpoint(_ connection: OpaquePointer?, _ mode: Int32) -> Bool {
        var inLog: Int32 = 0
        var copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(connection, "main", mode, &inLog, &copied)
        switch code & 0xFF {
        // Another connection reads the WAL or runs a checkpoint, or this call was interrupted: the disk has not failed.
        case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED, SQLITE_INTERRUPT: break
        default: failure.store(code, ordering: .relaxed)
        }
        guard code == SQLITE_OK, inLog >= 0 else { return false }
        // Only a copy of everything is synchronized with the disk.
        if inLog == copied { failure.store(0, ordering: .relaxed) }
        // Once all frames are copied, the next writer restarts the WAL.
        frames.store(inLog == copied ? 0 : inLog, ordering: .relaxed)
        return inLog == copied
    }
}
