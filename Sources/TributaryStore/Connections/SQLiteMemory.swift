import CSQLite

/// The settings of SQLite's memory management for the whole process.
package enum SQLiteMemory {
    /// Disables SQLite's accounting of the memory that it uses.
    ///
    /// SQLite keeps the account under one mutex for all connections and holds it during each allocation, so a read
    /// waits for an import that was preempted there. This function is for a program that owns its process, before it
    /// opens its first store; other programs may need `sqlite3_memory_used`.
    ///
    /// - Returns: False when SQLite is already initialized; nothing has changed then.
    @discardableResult
    package static func disableAccounting() -> Bool {
        csqlite_disable_memory_accounting() == SQLITE_OK
    }
}
