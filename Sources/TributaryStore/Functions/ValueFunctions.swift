import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

enum ValueFunctions {
    /// `(code, argument, …)`: the result, or NULL; each further code takes the result so far as its first argument.
    static let name = "tributary_value"

    static func code(_ function: BoundFunction) -> Int32 {
        let index = Int32(ObjectPredicate.Function.allCases.firstIndex(of: function.function) ?? 0)
        return function.argumentKinds.reversed().reduce(0) { $0 << kindBits | $1.rawValue } << functionBits | index
    }

    /// SQLite accepts no more arguments: 63 functions with two arguments each.
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

    private static func call(_ context: OpaquePointer?, _ count: Int32, _ values: Database.SQLValues?) {
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
            arguments = [function.value(of: arguments)]
        }
        (arguments.first ?? .null).setResult(of: context)
    }
}

/// Computed by the model's own code, so that the result does not depend on the order of the rows.
enum AggregateFunctions {
    static func name(_ aggregate: ObjectPredicate.Aggregate, _ kind: ValueKind) -> String {
        "tributary_\(aggregate.rawValue)\(kind == .decimal ? "_decimal" : "")"
    }

    private final class Collected {
        var values: [PropertyValue] = []
    }

    static func register(in database: Database) throws {
        try database.addFunction(
            name(.sum, .number),
            arguments: 1,
            step: { context, _, values in AggregateFunctions.collect(context, values, .number) },
            finish: { AggregateFunctions.finish(.sum, .number, $0) }
        )
        try database.addFunction(
            name(.average, .number),
            arguments: 1,
            step: { context, _, values in AggregateFunctions.collect(context, values, .number) },
            finish: { AggregateFunctions.finish(.average, .number, $0) }
        )
        try database.addFunction(
            name(.sum, .decimal),
            arguments: 1,
            step: { context, _, values in AggregateFunctions.collect(context, values, .decimal) },
            finish: { AggregateFunctions.finish(.sum, .decimal, $0) }
        )
        try database.addFunction(
            name(.average, .decimal),
            arguments: 1,
            step: { context, _, values in AggregateFunctions.collect(context, values, .decimal) },
            finish: { AggregateFunctions.finish(.average, .decimal, $0) }
        )
    }

    private static func collect(_ context: OpaquePointer?, _ values: Database.SQLValues?, _ kind: ValueKind) {
        guard let values, let memory = memory(context, size: MemoryLayout<UnsafeMutableRawPointer?>.size) else {
            return
        }
        let collected: Collected
        if let known = memory.pointee {
            collected = Unmanaged<Collected>.fromOpaque(known).takeUnretainedValue()
        } else {
            collected = Collected()
            memory.pointee = Unmanaged.passRetained(collected).toOpaque()
        }
        let value = PropertyValue(sqlite: values[0], kind: kind)
        if !value.isNull { collected.values.append(value) }
    }

    private static func finish(
        _ aggregate: ObjectPredicate.Aggregate,
        _ kind: ValueKind,
        _ context: OpaquePointer?
    ) {
        var values: [PropertyValue] = []
        if let memory = memory(context, size: 0), let known = memory.pointee {
            values = Unmanaged<Collected>.fromOpaque(known).takeRetainedValue().values
            memory.pointee = nil
        }
        aggregate.value(of: values, kind: kind).setResult(of: context)
    }

    /// SQLite's memory for the values of a group; nil when the group is empty.
    private static func memory(_ context: OpaquePointer?, size: Int) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    {
        sqlite3_aggregate_context(context, Int32(size))?
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }
}

extension Database {
    typealias SQLValues = UnsafeMutablePointer<OpaquePointer?>
    typealias SQLCall = @convention(c) (OpaquePointer?, Int32, SQLValues?) -> Void
    typealias SQLResult = @convention(c) (OpaquePointer?) -> Void

    func addFunction(
        _ name: String,
        arguments: Int32,
        call: SQLCall? = nil,
        step: SQLCall? = nil,
        finish: SQLResult? = nil
    ) throws {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        let code = sqlite3_create_function_v2(sqliteConnection, name, arguments, flags, nil, call, step, finish, nil)
        guard code == SQLITE_OK else { throw StoreError.database(of: sqliteConnection) }
    }
}
