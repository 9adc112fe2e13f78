package import TributaryChanges
import TributaryModel

struct DictionaryCompiler {
    private let plan: DictionaryPlan
    private let reading: RowReading
    private var compiler: PredicateCompiler
    /// Cached, because a path must have the same text wherever it occurs.
    private var known: [String: SQLFragment] = [:]
    private static let row = FetchCompiler.row
    /// A heavier condition might not fit SQLite's parser.
    private static let maximumWeight = 80

    init(_ plan: DictionaryPlan, reading: RowReading) {
        self.plan = plan
        self.reading = reading
        compiler = PredicateCompiler(layout: reading.layout)
    }

    /// If the condition is too deep for SQLite's parser, `isWhole` is false: memory applies it, offset and limit.
    mutating func select() throws -> (statement: SQLFragment, isWhole: Bool) {
        let query = plan.query
        let columns = try plan.columns.map { try column($0) }
        let selected = columns.isEmpty ? "1" : columns.map(\.text).joined(separator: ", ")
        var result = SQLFragment(
            "SELECT \(query.isDistinct ? "DISTINCT " : "")\(selected) FROM \(reading.table.quotedName) \(DictionaryCompiler.row)"
        )
        let having = try having(columns)
        let isWhole = plan.having == nil || having != nil
        var conditions = try FetchCompiler.conditions(query.objects, reading, &compiler)
        if let having, !plan.isGrouped { conditions.append(having) }
        if !conditions.isEmpty { result = result + " WHERE " + .joined(conditions, by: "AND") }
        if !plan.groups.isEmpty {
            let groups = try plan.groups.map { try value($0).ordered(as: $0.kind).text }
            result = result + " GROUP BY \(groups.joined(separator: ", "))"
        }
        if let having, plan.isGrouped { result = result + " HAVING " + having }
        let order = try order()
        if !order.isEmpty { result = result + " ORDER BY \(order.joined(separator: ", "))" }
        if isWhole, query.objects.limit != nil || query.objects.offset > 0 {
            let limit = query.objects.limit.map { max($0, 0) } ?? -1
            result = result + " LIMIT \(limit) OFFSET \(max(query.objects.offset, 0))"
        }
        return (result, isWhole)
    }

    private func having(_ columns: [SQLFragment]) throws -> SQLFragment? {
        guard let having = plan.having else { return nil }
        let paths = PathCompiler(layout: reading.layout, results: having.properties(columns))
        var compiler = PredicateCompiler(paths: paths)
        let condition = try compiler.condition(having.predicate, on: DictionaryCompiler.row)
        return condition.weight > DictionaryCompiler.maximumWeight ? nil : condition
    }

    private mutating func value(_ path: BoundPath) throws -> SQLFragment {
        if let value = known[path.text] { return value }
        let value = try compiler.paths.value(of: path, from: DictionaryCompiler.row)
        known[path.text] = value
        return value
    }

    private mutating func column(_ column: DictionaryPlan.Column) throws -> SQLFragment {
        let (value, kind) = (try value(column.path), column.path.kind)
        switch column.function {
        case nil: return value
        case .count: return ("count(" + value + ")").within(5)
        case .min: return ("min(" + value.ordered(as: kind) + ")").within(5)
        case .max: return ("max(" + value.ordered(as: kind) + ")").within(5)
        case .sum: return ("\(AggregateFunctions.name(.sum, kind))(" + value + ")").within(5)
        case .average: return ("\(AggregateFunctions.name(.average, kind))(" + value + ")").within(5)
        }
    }

    private mutating func order() throws -> [String] {
        var terms: [String] = []
        for term in plan.order {
            let direction = term.isAscending ? "" : " DESC"
            switch term {
            case .column(let index, _):
                terms.append(SQLFragment("\(index + 1)").ordered(as: plan.columns[index].kind).text + direction)
            case .path(let path, _): terms.append(try value(path).ordered(as: path.kind).text + direction)
            }
        }
        return plan.isGrouped || plan.query.isDistinct ? terms : terms + ["\(DictionaryCompiler.row)._id"]
    }
}

extension Reader {
    package func values(_ plan: DictionaryPlan) throws -> [[PropertyValue]] {
        let entity = plan.query.objects.entity
        guard let reading = reading(rootEntity: entity.root) else {
            throw StoreError.invalidQuery(reason: "'\(entity.name)' is not an entity of this store")
        }
        var compiler = DictionaryCompiler(plan, reading: reading)
        let (sql, isWhole) = try compiler.select()
        let statement = try BoundStatement(database, query: sql)
        let readings = plan.columns.map { $0.type.map { ColumnLayout(of: $0) } }
        let results = try statement.all { row in
            var result: [PropertyValue] = []
            result.reserveCapacity(readings.count)
            for (index, column) in plan.columns.enumerated() {
                let position = Int32(index)
                if let reading = readings[index] {
                    result.append(column.typed(reading.value(in: row, at: position)))
                } else {
                    result.append(row.id(position).map(PropertyValue.reference) ?? .null)
                }
            }
            return result
        }
        return isWhole ? results : plan.sliced(results)
    }
}

extension ColumnLayout {
    fileprivate init(of type: AttributeType) {
        self.init(property: "", name: "", kind: .attribute(type, .latest), definition: "")
    }
}
