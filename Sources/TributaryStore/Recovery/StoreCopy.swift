import Foundation
import GRDB
import Glibc
import TributaryChanges

/// Writes one state of a store into one file, with the large binaries in the table `tributary_blob`.
struct StoreCopy {
    static let blobTable = "tributary_blob"
    private static let pagesOfStep: CInt = 256

    let source: Reader
    let path: String
    let cancellation: ReadCancellation
    let progress: @Sendable (_ done: Int64, _ total: Int64) -> Void

    func run() throws -> Int {
        // Only a read gives the transaction a state; without it, the copy could mix several states.
        _ = try source.history.newestTransaction()
        let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StoreError.scratch(path: path, code: errno) }
        close(descriptor)
        let target = try StoreCopy.queue(path: path, label: "tributary.copy")
        let missing = try target.inDatabase { target in
            try copyPages(to: target)
            return try copyBlobs(to: target)
        }
        try target.close()
        return missing
    }

    static func queue(path: String, label: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = label
        configuration.qos = .default
        configuration.foreignKeysEnabled = false
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private func copyPages(to target: Database) throws {
        // An interrupted copy is thrown away, so it need not be durable.
        try target.execute(sql: "PRAGMA synchronous = OFF")
        try source.database.backup(to: target, pagesPerStep: StoreCopy.pagesOfStep) { step in
            try checkCancellation()
            progress(Int64(step.completedPageCount), Int64(step.totalPageCount))
        }
        // The header of the copied file asks for a WAL, which a file on its own must not have.
        guard try String.fetchOne(target, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
            throw StoreError.cannotOpen(path: path, reason: "the copy cannot do without a WAL")
        }
        try target.execute(sql: "PRAGMA journal_mode = OFF")
    }

    private func copyBlobs(to target: Database) throws -> Int {
        // A copy that replaces a store has the table, and needs it if its folder lacks files.
        try target.execute(
            sql: "CREATE TABLE IF NOT EXISTS \(StoreCopy.blobTable)(sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL)"
        )
        guard let folder = source.context.blobs else { return 0 }
        var missing = 0
        try source.externalValues.forEach { sha256, size in
            try checkCancellation()
            try target.execute(
                sql: "INSERT OR IGNORE INTO \(StoreCopy.blobTable)(sha256, bytes) VALUES (?, zeroblob(?))",
                arguments: [sha256, size]
            )
            guard target.changesCount > 0 else { return }
            let row = target.lastInsertedRowID
            do {
                let blob = try IncrementalBlob(target, table: StoreCopy.blobTable, row: row, isWritable: true)
                var offset = 0
                try folder.read(sha256: sha256, size: size) { portion in
                    try blob.write(portion, at: offset)
                    offset += portion.count
                }
                try blob.close()
            } catch StoreError.blob {
                missing += 1
                try target.execute(sql: "DELETE FROM \(StoreCopy.blobTable) WHERE rowid = ?", arguments: [row])
            }
        }
        return missing
    }

    private func checkCancellation() throws {
        if cancellation.isCancelled { throw CancellationError() }
    }
}
