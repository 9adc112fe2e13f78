import CSQLite
import GRDB
import Glibc
package import TributaryChanges

package enum StoreError: Error, Hashable, Sendable {
    case cannotOpen(path: String, reason: String)
    case otherFormat(path: String, reason: String)
    case cannotMigrate(path: String, reason: String)
    case database(code: Int32, message: String)
    case duplicateID(ManagedObjectID)
    /// A new object would not be visible, because an older object has one of its unique keys.
    case sharesKey(SharedKey)
    /// A local change does not fit the model; imported changes of this kind are deferred instead.
    case invalidChange(index: Int, reason: String)
    case invalidQuery(reason: String)
    case timedOut(after: Duration)
    case outOfSequence(writer: UniqueID, sequence: UInt64, expected: UInt64)
    case invalidClock(HybridClock)
    case closed
    /// `holder` began the outer write on this thread.
    case nestedTransaction(holder: String)
    case deadlock(cycle: String)
    case blob(path: String, reason: String)
    /// `code` is `errno`.
    case scratch(path: String, code: Int32)

    package var isLocked: Bool {
        guard case .database(let code, _) = self else { return false }
        return code & 0xFF == StoreError.busy
    }

    /// SQLITE_BUSY.
    static let busy: Int32 = 5

    package var isDamage: Bool {
        // SQLITE_CORRUPT and _NOTADB.
        guard case .database(let code, _) = self else { return false }
        return [11, 26].contains(code & 0xFF)
    }

    package var isFull: Bool {
        switch self {
        case .database(let code, _): code & 0xFF == StoreError.full
        case .scratch(_, let code): code == ENOSPC || code == EDQUOT
        default: false
        }
    }

    static let full: Int32 = 13

    package var isInputOutput: Bool {
        switch self {
        // SQLITE_READONLY, _IOERR, _FULL and _CANTOPEN; the bits above the lower byte hold details of each.
        case .database(let code, _): [8, 10, 13, 14].contains(code & 0xFF)
        case .cannotOpen, .blob, .scratch: true
        default: false
        }
    }
}

extension StoreError {
    static func mapping<T>(_ block: () throws -> T) throws -> T {
        do {
            return try block()
        } catch let error as DatabaseError {
            throw StoreError.database(
                code: error.extendedResultCode.rawValue,
                message: error.message ?? String(cString: sqlite3_errstr(error.extendedResultCode.rawValue))
            )
        }
    }

    static func database(of connection: OpaquePointer?) -> StoreError {
        .database(code: sqlite3_extended_errcode(connection), message: String(cString: sqlite3_errmsg(connection)))
    }
}

extension StoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "the store '\(path)' cannot be opened: \(reason)"
        case .otherFormat(let path, let reason): "the store '\(path)' \(reason)"
        case .cannotMigrate(let path, let reason): "the store '\(path)' cannot take the new model: \(reason)"
        case .database(let code, let message): StoreError.text(ofCode: code, message)
        case .duplicateID(let id): "there is an object \(id.entity) \(id.uniqueID) already"
        case .sharesKey(let key):
            "\(key.object) would have the same \(key.entity) \(key.properties.joined(separator: ", ")) as \(key.other), "
                + "an older object that this transaction would show: save first what frees the key, then decide"
        case .invalidChange(let index, let reason): "change \(index): \(reason)"
        case .invalidQuery(let reason): reason
        case .timedOut(let duration): "reading took longer than \(duration.components.seconds) s"
        case .outOfSequence(let writer, let sequence, let expected):
            "transaction \(sequence) of writer \(writer) came where \(expected) is expected"
        case .invalidClock(let clock):
            "the time of the save, \(clock), would be after the year 10888, which no store takes: set the machine's clock right"
        case .closed: "the store is closed"
        case .nestedTransaction(let holder): "\(holder) is writing to the store on this thread"
        case .deadlock(let cycle): "waiting would never end: \(cycle)"
        case .blob(let path, let reason): "the file '\(path)' of a large value cannot be used: \(reason)"
        case .scratch(let path, let code): "'\(path)' cannot be written: \(String(cString: strerror(code)))"
        }
    }

    private static func text(ofCode code: Int32, _ message: String) -> String {
        switch code & 0xFF {
        case full: "the disk of the store is full (SQLite: \(message))"
        case busy: "another program keeps the store locked (SQLite: \(message))"
        default: "SQLite failed with \(message) (code \(code))"
        }
    }
}
