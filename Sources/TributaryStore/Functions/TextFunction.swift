import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// The SQL function for the string functions of key paths, computed by the model's own code.
enum TextFunction {
    /// `(code, text)`: the value, or NULL.
    static let name = "tributary_text"

    static func register(in database: Database) throws {
        let code = sqlite3_create_function_v2(
            database.sqliteConnection,
            name,
            2,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            nil,
            { TextFunction.call($0, $2) },
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw StoreError.database(of: database.sqliteConnection) }
    }

    private static func call(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let values, let derivation = TextDerivation(rawValue: sqlite3_value_int(values[0])) else {
            return sqlite3_result_null(context)
        }
        derivation.value(of: PropertyValue(sqlite: values[1], kind: .string)).setResult(of: context)
    }
}
