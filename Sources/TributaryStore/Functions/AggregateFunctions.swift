import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// Sums and averages in SQL, computed by the model's own code: the result does not depend on the order of the rows.
enum AggregateFunctions {
    static func name(_ aggregate: ObjectPredicate.Aggregate, _ kind: ValueKind) -> String {
        "tributary_\(aggregate.rawValue)\(kind == .decimal ? "_decimal" : "")"
    }

    private typealias Step = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// The values that were collected so far.
    private final class Collected {
        var values: [PropertyValue] = []
    }

    static func register(in database: Database) throws {
        try register(
            .sum,
            .number,
            in: database,
            step: { AggregateFunctions.collect($0, $2, .number) },
            finish: { AggregateFunctions.finish(.sum, .number, $0) }
        )
        try register(
            .average,
            .number,
            in: database,
            step: { AggregateFunctions.collect($0, $2, .number) },
            finish: { AggregateFunctions.finish(.average, .number, $0) }
        )
        try register(
            .sum,
            .decimal,
            in: database,
            step: { AggregateFunctions.collect($0, $2, .decimal) },
            finish: { AggregateFunctions.finish(.sum, .decimal, $0) }
        )
        try register(
            .average,
            .decimal,
            in: database,
            step: { AggregateFunctions.collect($0, $2, .decimal) },
            finish: { AggregateFunctions.finish(.average, .decimal, $0) }
        )
    }

    private static func register(
        _ aggregate: ObjectPredicate.Aggregate,
        _ kind: ValueKind,
        in database: Database,
        step: @escaping Step,
        finish: @escaping @convention(c) (OpaquePointer?) -> Void
    ) throws {
        let code = sqlite3_create_function_v2(
            database.sqliteConnection,
            name(aggregate, kind),
            1,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            nil,
            nil,
            step,
            finish,
            nil
        )
        guard code == SQLITE_OK else { throw StoreError.database(of: database.sqliteConnection) }
    }

    private static func collect(
        _ context: OpaquePointer?,
        _ values: UnsafeMutablePointer<OpaquePointer?>?,
        _ kind: ValueKind
    ) {
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
        AggregateEvaluator.value(aggregate, values, kind: kind).setResult(of: context)
    }

    /// The memory in which SQLite keeps the values of one group; nil when there were no rows.
    private static func memory(_ context: OpaquePointer?, size: Int) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    {
        sqlite3_aggregate_context(context, Int32(size))?
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }
}
