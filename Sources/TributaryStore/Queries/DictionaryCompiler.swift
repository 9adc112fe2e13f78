import TributaryChanges
import TributaryModel

/// Compiles a fetch of dictionaries to a SELECT.
struct DictionaryCompiler {
    private let plan: DictionaryPlan
    private let layout: StoreModel
    private let table: TableLayout
    private var compiler: PredicateCompiler
    /// The compiled paths; each path is compiled once, so that its text is equal wherever it occurs.
    private var known: [String: String] = [:]
    private static let row = "o"

    init(_ plan: DictionaryPlan, layout: StoreModel, table: TableLayout) {
        self.plan = plan
        self.layout = layout
        self.table = table
        compiler = PredicateCompiler(layout: layout)
    }

    /// Compiles the query; a condition on the results is evaluated in memory, followed by offset and limit.
    mutating func select() throws -> SQLFragment {
        let query = plan.query
        let columns = try plan.columns.map { try column($0) }
        let selected = columns.isEmpty ? "1" : columns.joined(separator: ", ")
        var result = SQLFragment(
            "SELECT \(query.isDistinct ? "DISTINCT " : "")\(selected) FROM \(table.quotedName) \(DictionaryCompiler.row)"
        )
        let conditions = try conditions(query.objects)
        if !conditions.isEmpty { result = result + " WHERE " + .joined(conditions, by: "AND") }
        if !plan.groups.isEmpty {
            let groups = try plan.groups.map { try ordered(value($0), $0.kind) }
            result = result + " GROUP BY \(groups.joined(separator: ", "))"
        }
        let order = try order()
        if !order.isEmpty { result = result + " ORDER BY \(order.joined(separator: ", "))" }
        if query.having == nil, query.objects.limit != nil || query.objects.offset > 0 {
            let limit = query.objects.limit.map { max($0, 0) } ?? -1
            result = result + " LIMIT \(limit) OFFSET \(max(query.objects.offset, 0))"
        }
        return result
    }

    private mutating func conditions(_ query: FetchQuery) throws -> [SQLFragment] {
        var conditions: [SQLFragment] = []
        if table.hasEntityColumn {
            let codes = layout.codes(of: query.entity, includesSubentities: query.includesSubentities)
            conditions.append(
                SQLFragment("\(DictionaryCompiler.row)._entity IN (\(codes.map(String.init).joined(separator: ", ")))")
            )
        }
        if let predicate = query.predicate {
            let bound = try predicate.bind(to: query.entity, in: layout.model)
            conditions.append(try compiler.condition(bound, on: DictionaryCompiler.row))
        }
        return conditions
    }

    private mutating func value(_ path: BoundPath) throws -> String {
        if let text = known[path.text] { return text }
        let text = try compiler.paths.value(of: path, steps: path.steps[...], from: DictionaryCompiler.row)
        known[path.text] = text
        return text
    }

    private func ordered(_ text: String, _ kind: ValueKind) -> String {
        kind == .decimal ? "\(text) COLLATE \(StringFunctions.decimalOrder)" : text
    }

    private mutating func column(_ column: DictionaryPlan.Column) throws -> String {
        let text = try value(column.path)
        switch column.function {
        case nil: return text
        case .count: return "count(\(text))"
        case .min: return "min(\(ordered(text, column.path.kind)))"
        case .max: return "max(\(ordered(text, column.path.kind)))"
        case .sum: return "\(AggregateFunctions.name(.sum, column.path.kind))(\(text))"
        case .average: return "\(AggregateFunctions.name(.average, column.path.kind))(\(text))"
        }
    }

    private mutating func order() throws -> [String] {
        var terms: [String] = []
        for term in plan.order {
            let direction = term.isAscending ? "" : " DESC"
            switch term {
            case .column(let index, _): terms.append(ordered("\(index + 1)", plan.columns[index].kind) + direction)
            case .path(let path, _): terms.append(try ordered(value(path), path.kind) + direction)
            }
        }
        return plan.isGrouped || plan.query.isDistinct ? terms : terms + ["\(DictionaryCompiler.row)._id"]
    }
}
