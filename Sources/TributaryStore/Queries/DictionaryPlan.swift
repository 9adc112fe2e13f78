import TributaryChanges
package import TributaryModel

/// The description of a fetch of dictionaries.
package struct DictionaryQuery: Sendable {
    package struct Column: Sendable {
        package let name: String
        package let keyPath: String
        package let function: ObjectPredicate.Aggregate?

        package init(name: String, keyPath: String, function: ObjectPredicate.Aggregate?) {
            self.name = name
            self.keyPath = keyPath
            self.function = function
        }
    }

    /// Selects the objects; its sort keys, limit and offset apply to the results.
    package var objects: FetchQuery
    package var columns: [Column]
    package var groupBy: [String]
    package var having: ObjectPredicate?
    package var isDistinct: Bool

    package init(
        objects: FetchQuery,
        columns: [Column],
        groupBy: [String] = [],
        having: ObjectPredicate? = nil,
        isDistinct: Bool = false
    ) {
        self.objects = objects
        self.columns = columns
        self.groupBy = groupBy
        self.having = having
        self.isDistinct = isDistinct
    }
}

/// A fetch of dictionaries with resolved names, which defines its meaning for SQL and for memory.
///
/// A query with groups has one result for each group; a query with an aggregate and without groups treats all objects
/// as one group; any other query has one result for each object. The order always distinguishes all results: the sort
/// keys are followed by the groups' values, for distinct results by all values, otherwise by the objects' IDs.
package struct DictionaryPlan: Sendable {
    package struct Column: Sendable {
        package let name: String
        package let path: BoundPath
        package let function: ObjectPredicate.Aggregate?

        /// The type of the results' values; nil for IDs.
        package var type: AttributeType? { function.map { path.valueType(of: $0) } ?? path.valueType }

        var kind: ValueKind { type?.kind ?? .reference }

        /// Converts a result to the column's type, including the sum of no values.
        func typed(_ value: PropertyValue) -> PropertyValue {
            if type == .double, case .integer(let number) = value { return .double(Double(number)) }
            return value
        }
    }

    enum Term: Sendable {
        case column(Int, isAscending: Bool)
        case path(BoundPath, isAscending: Bool)

        var isAscending: Bool {
            switch self {
            case .column(_, let isAscending), .path(_, let isAscending): isAscending
            }
        }
    }

    package let columns: [Column]
    package let groups: [BoundPath]
    /// Whether each result represents a group instead of an object.
    package let isGrouped: Bool
    let order: [Term]
    let having: HavingCondition?
    let query: DictionaryQuery

    package init(_ query: DictionaryQuery, model: Model) throws(ObjectPredicateError) {
        let entity = query.objects.entity
        var columns: [Column] = []
        for column in query.columns {
            let path = try BoundPath(ofValueAt: column.keyPath, of: entity, in: model)
            try DictionaryPlan.check(column, path)
            guard !columns.contains(where: { $0.name == column.name }) else {
                throw ObjectPredicateError("two results have the name '\(column.name)'", keyPath: column.keyPath)
            }
            columns.append(Column(name: column.name, path: path, function: column.function))
        }
        var groups: [BoundPath] = []
        for group in query.groupBy { groups.append(try SortKey(group).bind(to: entity, in: model).path) }
        isGrouped = !groups.isEmpty || columns.contains { $0.function != nil }
        if isGrouped,
            let loose = columns.first(where: { column in
                column.function == nil && !groups.contains { $0.text == column.path.text }
            })
        {
            throw ObjectPredicateError("'\(loose.name)' is neither grouped by nor an aggregate", keyPath: loose.name)
        }
        self.columns = columns
        self.groups = groups
        self.query = query
        order = try DictionaryPlan.order(query, columns, groups, isGrouped: isGrouped, model)
        having = try query.having.map { predicate throws(ObjectPredicateError) in
            try HavingCondition(predicate, columns: columns)
        }
    }

    /// Checks that sums and averages have numbers as arguments, and minimum and maximum values with an order.
    private static func check(_ column: DictionaryQuery.Column, _ path: BoundPath) throws(ObjectPredicateError) {
        let fits =
            switch (column.function, path.kind) {
            case (nil, _), (.count, _), (_, .number), (_, .decimal): true
            case (.min, .date), (.max, .date), (.min, .string), (.max, .string): true
            default: false
            }
        guard !fits, let function = column.function else { return }
        throw ObjectPredicateError("'\(path.text)' has nothing for \(function.rawValue)", keyPath: column.keyPath)
    }

    private static func order(
        _ query: DictionaryQuery,
        _ columns: [Column],
        _ groups: [BoundPath],
        isGrouped: Bool,
        _ model: Model
    ) throws(ObjectPredicateError) -> [Term] {
        var order: [Term] = []
        for key in query.objects.sortKeys {
            if key.comparison == .value, let column = columns.firstIndex(where: { $0.name == key.keyPath }) {
                guard columns[column].kind != .opaque else {
                    throw ObjectPredicateError("'\(key.keyPath)' has values without an order", keyPath: key.keyPath)
                }
                order.append(.column(column, isAscending: key.isAscending))
                continue
            }
            let path = try key.bind(to: query.objects.entity, in: model).path
            let column = columns.firstIndex { $0.function == nil && $0.path.text == path.text }
            if let column, key.comparison == .value {
                order.append(.column(column, isAscending: key.isAscending))
            } else if query.isDistinct || isGrouped && !groups.contains(where: { $0.text == path.text }) {
                throw ObjectPredicateError(
                    "results that stand for several objects are sorted by what they hold or are grouped by",
                    keyPath: key.keyPath
                )
            } else {
                order.append(.path(path, isAscending: key.isAscending))
            }
        }
        if query.isDistinct {
            let rest = columns.indices.filter { columns[$0].kind != .opaque }
            return order + rest.map { .column($0, isAscending: true) }
        }
        if isGrouped { return order + groups.map { .path($0, isAscending: true) } }
        return order
    }
}
