import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// The functions of the predicate language in SQL, by the model's own code.
enum ValueFunctions {
    /// `(code, argument, …)`: the result, or NULL.
    static let name = "tributary_value"

    /// The function with the kinds of its arguments, as a number.
    static func code(_ function: BoundFunction) -> Int32 {
        let index = Int32(ObjectPredicate.Function.allCases.firstIndex(of: function.function) ?? 0)
        return function.argumentKinds.reversed().reduce(0) { $0 << kindBits | $1.rawValue } << functionBits | index
    }

    private static let functionBits: Int32 = 5
    private static let kindBits: Int32 = 4

    static func register(in database: Database) throws {
        let code = sqlite3_create_function_v2(
            database.sqliteConnection,
            name,
            -1,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            nil,
            { ValueFunctions.call($0, $1, $2) },
            nil,
            nil,
            nil
        )
        guard code == SQLITE_OK else { throw StoreError.database(of: database.sqliteConnection) }
    }

    private static func call(
        _ context: OpaquePointer?,
        _ count: Int32,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let values, count > 1 else { return sqlite3_result_null(context) }
        var code = sqlite3_value_int(values[0])
        let functions = ObjectPredicate.Function.allCases
        let function = functions[min(Int(code & (1 << functionBits - 1)), functions.count - 1)]
        code >>= functionBits
        var arguments: [PropertyValue] = []
        for place in 1..<Int(count) {
            let kind = ValueKind(rawValue: code & (1 << kindBits - 1)) ?? .opaque
            let value = PropertyValue(sqlite: values[place], kind: kind)
            guard !value.isNull else { return sqlite3_result_null(context) }
            arguments.append(value)
            code >>= kindBits
        }
        FunctionEvaluator.value(function, arguments).setResult(of: context)
    }
}
