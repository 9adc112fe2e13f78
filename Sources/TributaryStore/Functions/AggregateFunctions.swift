import CSQLite
import GRDB
import TributaryChanges
import TributaryModel

/// Sums and averages in SQL, computed by the model's own code: the result does not depend on the order of the rows.
enum AggregateFunctions {
    static func name(_ aggregate: ObjectPredicate.Aggregate, _ kind: ValueKind) -> String {
        "tributary_\(aggregate.rawValue)\(kind == .decimal ? "_decimal" : "")"
    }

    private final class Collected {
        var values: [PropertyValue] = []
    }

    static func register(in database: Database) throws {
        try database.addAggregate(
            name(.sum, .number),
            step: { context, _, values in AggregateFunctions.collect(context, values, .number) },
            finish: { AggregateFunctions.finish(.sum, .number, $0) }
        )
        try database.addAggregate(
            name(.average, .number),
            step: { context, _, values in AggregateFunctions.collect(context, values, .number) },
            finish: { AggregateFunctions.finish(.average, .number, $0) }
        )
        try database.addAggregate(
            name(.sum, .decimal),
            step: { context, _, values in AggregateFunctions.collect(context, values, .decimal) },
            finish: { AggregateFunctions.finish(.sum, .decimal, $0) }
        )
        try database.addAggregate(
            name(.average, .decimal),
            step: { context, _, values in AggregateFunctions.collect(context, values, .decimal) },
            finish: { AggregateFunctions.finish(.average, .decimal, $0) }
        )
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
