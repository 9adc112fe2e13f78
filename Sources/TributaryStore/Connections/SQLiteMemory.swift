import CSQLite

/// How SQLite treats memory in the whole process.
package enum SQLiteMemory {
    /// Has SQLite keep no account of the memory that it uses.
    ///
    /// The account is kept under one mutex for all connections, which is held during each allocation: a read waits for
    /// an import that was interrupted there. For a program that owns its process, before it opens its first store;
    /// other programs may want `sqlite3_memory_used` to work.
    ///
    /// - Returns: False when SQLite is in use already; nothing has changed then.
    @discardableResult
    package static func disableAccounting() -> Bool {
        csqlite_disable_memory_accounting() == SQLITE_OK
    }

    /// The bytes that SQLite has accounted for; 0 without an account.
    package static var accountedBytes: Int { Int(sqlite3_memory_used()) }
}
