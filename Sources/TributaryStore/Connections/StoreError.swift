package import TributaryChanges
package import TributaryModel

/// Why the store could not do what it was asked.
package enum StoreError: Error, Hashable, Sendable {
    /// The file cannot be opened or is no store; 74.
    case cannotOpen(path: String, reason: String)
    /// The store was written by a newer version; 78.
    case newerStore(path: String, version: Int)
    /// The model has changed in a way that cannot be migrated; 78.
    case cannotMigrate(path: String, reason: String)
    /// The store is at another version of the model and was not brought to this one; 78.
    case migration(path: String, MigrationError)
    /// SQLite refused: a full disk, a damaged file.
    case database(code: Int32, message: String)
    /// An insert of an object that is visible already.
    case duplicateID(ManagedObjectID)
    /// A change that names an entity, a property or a value that the model does not have. Only local changes throw it;
    /// imported ones are deferred.
    case invalidChange(index: Int, reason: String)
    /// A fetch that cannot be answered: a key path that leads nowhere, a sort by what has no order.
    case invalidQuery(reason: String)
    /// A read took longer than it was allowed to.
    case timedOut(after: Duration)
    /// A transaction of a writer that is not the one after those that have been applied.
    case outOfSequence(writer: UniqueID, sequence: UInt64, expected: UInt64)
    case closed
    /// A write inside another one of this thread, which `holder` has begun.
    case nestedTransaction(holder: String)
    /// Waiting for the write lock would never end: its holder waits for the caller.
    case deadlock(cycle: String)
    /// A large binary beside the store, or the folder of such, cannot be written or read; 74.
    case blob(path: String, reason: String)

    /// Whether another program kept the store locked for longer than was waited for.
    package var isLocked: Bool {
        guard case .database(let code, _) = self else { return false }
        return code & 0xFF == StoreError.busy
    }

    /// SQLITE_BUSY.
    static let busy: Int32 = 5

    /// Whether a disk or a file system is at fault, and neither the data nor the program.
    package var isInputOutput: Bool {
        switch self {
        // SQLITE_READONLY, _IOERR, _FULL and _CANTOPEN; what lies above the lower byte says more of each.
        case .database(let code, _): [8, 10, 13, 14].contains(code & 0xFF)
        case .cannotOpen, .blob: true
        default: false
        }
    }
}
