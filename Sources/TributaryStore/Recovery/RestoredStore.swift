import Dispatch
import GRDB
import TributaryChanges

package struct RestoredStore {
    /// In Unix milliseconds; the former writer may have continued since the backup, so the store must not write as it.
    static var setting: Setting<UInt64> { Setting("identity.restored") }

    private let path: String

    package init(path: String) {
        self.path = path
    }

    /// Writes the large binaries beside the file; may be repeated after an interruption.
    package func adopt(restoredAt milliseconds: UInt64, sha256: String) throws {
        try StoreError.mapping {
            let queue = try StoreCopy.queue(path: path, label: "tributary.restore")
            try queue.inDatabase { database in
                try StringFunctions.register(in: database)
                try Schema.checkHeader(database, path: path)
                guard try SettingTable(database).value(of: RestoredStore.setting) != milliseconds else { return }
                guard try FileHash.sha256(ofFile: path) == sha256 else {
                    throw refused("its bytes differ from the backup: restore it again")
                }
                try checkContent(database)
                try unpackBlobs(database)
                try record(milliseconds, database)
            }
            try queue.close()
        }
    }

    private func checkContent(_ database: Database) throws {
        let faults = try String.fetchAll(database, sql: "PRAGMA integrity_check(1)")
        guard faults == ["ok"] else { throw refused("it is damaged: \(faults.first ?? "SQLite cannot read it")") }
    }

    private func unpackBlobs(_ database: Database) throws {
        guard try database.tableExists(StoreCopy.blobTable) else { return }
        let folder = BlobFolder(storePath: path)
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: "SELECT rowid, sha256, length(bytes) FROM \(StoreCopy.blobTable) ORDER BY rowid"
        )
        while let row = try rows.next() {
            let (id, text, bytes): (Int64, String?, Int64?) = (row[0], row[1], row[2])
            guard let sha256 = text, let size = bytes else { throw refused("a large value in it has no hash") }
            _ = try folder.keep(sha256: sha256, size: size) { take in
                var hash = SHA256()
                let blob = try IncrementalBlob(database, table: StoreCopy.blobTable, row: id, isWritable: false)
                try blob.read { portion in
                    hash.update(bufferPointer: portion)
                    try take(portion)
                }
                guard hash.finalize().hexadecimal == sha256 else { throw refused("a large value in it is damaged") }
            }
        }
    }

    private func record(_ milliseconds: UInt64, _ database: Database) throws {
        try database.inTransaction {
            try database.execute(sql: "DROP TABLE IF EXISTS \(StoreCopy.blobTable)")
            let settings = SettingTable(database)
            try settings.set(RestoredStore.setting, to: milliseconds)
            // New transactions reuse numbers of the original's history, so this history gets a new name.
            let name = try String.fetchOne(database, sql: "SELECT lower(hex(randomblob(16)))")
            try settings.set(Setting(IdentityKeys.history), to: name)
            return .commit
        }
    }

    private func refused(_ reason: String) -> StoreError { .cannotOpen(path: path, reason: reason) }
}
