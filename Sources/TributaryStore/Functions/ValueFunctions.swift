import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// The SQL function for the functions of the predicate language, computed by the model's own code.
enum ValueFunctions {
    /// `(code, argument, …)`: the result, or NULL; each further code takes the result so far as its first argument.
    static let name = "tributary_value"

    /// Encodes the function and the kinds of its arguments as a number.
    static func code(_ function: BoundFunction) -> Int32 {
        let index = Int32(ObjectPredicate.Function.allCases.firstIndex(of: function.function) ?? 0)
        return function.argumentKinds.reversed().reduce(0) { $0 << kindBits | $1.rawValue } << functionBits | index
    }

    /// The number of functions in one call: with two arguments each, SQLite accepts no more.
    static let maximumSteps = 63

    private static let functionBits: Int32 = 5
    private static let kindBits: Int32 = 4

    static func register(in database: Database) throws {
        precondition(
            ObjectPredicate.Function.allCases.count <= 1 << functionBits && ValueKind.allCases.count <= 1 << kindBits,
            "a function and the kinds of its arguments fit their bits"
        )
        try database.addFunction(name, arguments: -1) { ValueFunctions.call($0, $1, $2) }
    }

    private static func call(
        _ context: OpaquePointer?,
        _ count: Int32,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let values else { return sqlite3_result_null(context) }
        let functions = ObjectPredicate.Function.allCases
        var rest = (0..<Int(count)).map { values[$0] }[...]
        var arguments: [PropertyValue] = []
        while let first = rest.popFirst() {
            var code = sqlite3_value_int(first)
            let function = functions[min(Int(code & (1 << functionBits - 1)), functions.count - 1)]
            code >>= functionBits + kindBits * Int32(arguments.count)
            while arguments.count < function.argumentCount, let next = rest.popFirst() {
                arguments.append(
                    PropertyValue(sqlite: next, kind: ValueKind(rawValue: code & (1 << kindBits - 1)) ?? .opaque)
                )
                code >>= kindBits
            }
            let isComplete = arguments.count == function.argumentCount && !arguments.contains(where: \.isNull)
            guard isComplete else { return sqlite3_result_null(context) }
            arguments = [FunctionEvaluator.value(function, arguments)]
        }
        (arguments.first ?? .null).setResult(of: context)
    }
}
