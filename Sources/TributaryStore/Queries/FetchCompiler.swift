import TributaryChanges
package import TributaryModel

package struct FetchQuery: Sendable {
    package var entity: Entity
    package var predicate: ObjectPredicate?
    package var sortKeys: [SortKey]
    package var limit: Int?
    package var offset: Int
    package var includesSubentities: Bool

    package init(
        entity: Entity,
        predicate: ObjectPredicate? = nil,
        sortKeys: [SortKey] = [],
        limit: Int? = nil,
        offset: Int = 0,
        includesSubentities: Bool = true
    ) {
        self.entity = entity
        self.predicate = predicate
        self.sortKeys = sortKeys
        self.limit = limit
        self.offset = offset
        self.includesSubentities = includesSubentities
    }

    var isOrderedByID: Bool { sortKeys.isEmpty }
    /// Plain queries have few different statements, so the connection caches them.
    var isPlain: Bool { predicate == nil && sortKeys.isEmpty }
}

struct FetchCompiler {
    private let query: FetchQuery
    private let layout: StoreModel
    private let reading: RowReading
    static let row = "o"

    enum Selection { case rows, ids, count }

    init(_ query: FetchQuery, reading: RowReading) {
        self.query = query
        self.reading = reading
        layout = reading.layout
    }

    func select(_ selection: Selection, isOrdered: Bool = true) throws -> SQLFragment {
        let row = FetchCompiler.row
        let isBounded = query.limit != nil || query.offset > 0
        let columns =
            switch selection {
            case .rows: reading.columns(alias: row)
            case .ids: reading.idColumns(alias: row)
            case .count: isBounded ? "1" : "count(*)"
            }
        var compiler = PredicateCompiler(layout: layout)
        var result = SQLFragment("SELECT \(columns) FROM \(reading.table.quotedName) \(row)")
        let conditions = try FetchCompiler.conditions(query, reading, &compiler)
        if !conditions.isEmpty { result = result + " WHERE " + .joined(conditions, by: "AND") }
        if selection != .count, isOrdered { result = result + " ORDER BY \(try order(&compiler))" }
        if isBounded {
            result =
                result
                + SQLFragment(
                    " LIMIT ? OFFSET ?",
                    [.integer(Int64(query.limit.map { max($0, 0) } ?? -1)), .integer(Int64(max(query.offset, 0)))]
                )
        }
        if selection == .count, isBounded { result = "SELECT count(*) FROM (" + result + ")" }
        return result
    }

    static func conditions(
        _ query: FetchQuery,
        _ reading: RowReading,
        _ compiler: inout PredicateCompiler
    ) throws -> [SQLFragment] {
        let layout = reading.layout
        var conditions: [SQLFragment] = []
        if reading.table.hasEntityColumn {
            let codes = layout.codes(of: query.entity, includesSubentities: query.includesSubentities)
            if codes.count < reading.table.entities.count {
                let list = codes.map(String.init).joined(separator: ", ")
                conditions.append(SQLFragment("\(row)._entity IN (\(list))"))
            }
        }
        if let predicate = query.predicate {
            let now = reading.environment.wallTime()
            let bound = try predicate.resolvingNow(now).bind(to: query.entity, in: layout.model)
            conditions.append(try compiler.condition(bound, on: row))
        }
        return conditions
    }

    /// Ends with the ID, so that the order is total.
    private func order(_ compiler: inout PredicateCompiler) throws -> String {
        var terms: [String] = []
        for key in query.sortKeys {
            let bound = try key.bind(to: query.entity, in: layout.model)
            let value = try compiler.paths.value(of: bound.path, from: FetchCompiler.row)
            terms.append(value.ordered(as: bound.path.kind).text + (bound.isAscending ? "" : " DESC"))
        }
        return (terms + ["\(FetchCompiler.row)._id"]).joined(separator: ", ")
    }
}
