import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// The SQL function for the string functions of key paths, computed by the model's own code.
enum TextFunction {
    /// `(code, text)`: the value, or NULL.
    static let name = "tributary_text"

    static func register(in database: Database) throws {
        try database.addFunction(name, arguments: 2) { context, _, values in TextFunction.call(context, values) }
    }

    private static func call(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let values, let derivation = TextDerivation(rawValue: sqlite3_value_int(values[0])) else {
            return sqlite3_result_null(context)
        }
        derivation.value(of: PropertyValue(sqlite: values[1], kind: .string)).setResult(of: context)
    }
}
