import CSQLite
import GRDB

extension StoreError {
    /// Runs `block` and converts SQLite's errors to ``StoreError``.
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

    /// The error of the call that has just failed on the connection.
    static func database(of connection: OpaquePointer?) -> StoreError {
        .database(code: sqlite3_extended_errcode(connection), message: String(cString: sqlite3_errmsg(connection)))
    }
}
