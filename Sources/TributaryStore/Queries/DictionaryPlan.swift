package import TributaryChanges
package import TributaryModel

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

/// The order is total: after the sort keys come the groups' values, all values of distinct results, or the IDs.
package struct DictionaryPlan: Sendable {
    package struct Column: Sendable {
        package let name: String
        package let path: BoundPath
        package let function: ObjectPredicate.Aggregate?

        package var type: AttributeType? { function.map { $0.type(of: path.valueType) } ?? path.valueType }

        var kind: ValueKind { type?.kind ?? .reference }

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
    package let isGrouped: Bool
    let order: [Term]
    let having: HavingCondition?
    let query: DictionaryQuery

    package init(_ query: DictionaryQuery, model: Model) throws(ObjectPredicateError) {
        let entity = query.objects.entity
        var columns: [Column] = []
        for column in query.columns {
            let path = try BoundPath(ofValueAt: column.keyPath, of: entity, in: model)
            if let function = column.function, !function.takes(path.kind) {
                let reason = "'\(path.text)' has nothing for \(function.rawValue)"
                throw ObjectPredicateError(reason, keyPath: column.keyPath)
            }
            guard !columns.contains(where: { $0.name == column.name }) else {
                throw ObjectPredicateError("two results have the name '\(column.name)'", keyPath: column.keyPath)
            }
            columns.append(Column(name: column.name, path: path, function: column.function))
        }
        var groups: [BoundPath] = []
        for group in query.groupBy { groups.append(try SortKey(group).bind(to: entity, in: model, isGroup: true).path) }
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
            let isGroup = groups.contains { $0.text == key.keyPath }
            let path = try key.bind(to: query.objects.entity, in: model, isGroup: isGroup).path
            let column = columns.firstIndex { $0.function == nil && $0.path.text == path.text }
            if let column, key.comparison == .value {
                order.append(.column(column, isAscending: key.isAscending))
            } else if query.isDistinct || isGrouped && !groups.contains(where: { $0.text == path.text }) {
                throw ObjectPredicateError(
                    "results that combine several objects can be sorted only by their own values or by the grouped properties",
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

extension DictionaryPlan {
    /// `subjects` must fulfil the query's predicate and be sorted by ID.
    package func values<Subject: PredicateSubject>(of subjects: [Subject]) -> [[PropertyValue]]
    where Subject.Related == Subject {
        var results = isGrouped ? grouped(subjects) : subjects.map { result([$0]) }
        results.sort { left, right in
            for (index, term) in order.enumerated() {
                let order = left.keys[index].sortOrder(to: right.keys[index])
                if order != 0 { return term.isAscending ? order < 0 : order > 0 }
            }
            return left.id < right.id
        }
        var values = results.map(\.values)
        if query.isDistinct {
            var seen: Set<ValueIdentity> = []
            values = values.filter { seen.insert(ValueIdentity($0)).inserted }
        }
        return sliced(values)
    }

    func sliced(_ results: [[PropertyValue]]) -> [[PropertyValue]] {
        let kept = having.map { having in results.filter { having.holds(for: $0) } } ?? results
        let rest = kept.dropFirst(max(query.objects.offset, 0))
        return Array(query.objects.limit.map { rest.prefix(max($0, 0)) } ?? rest)
    }

    private struct Result {
        let values: [PropertyValue]
        let keys: [PropertyValue]
        let id: UniqueID
    }

    private func grouped<Subject: PredicateSubject>(_ subjects: [Subject]) -> [Result]
    where Subject.Related == Subject {
        guard !groups.isEmpty else { return [result(subjects)] }
        var groupIndexes: [ValueIdentity: Int] = [:]
        var members: [[Subject]] = []
        for subject in subjects {
            let key = ValueIdentity(groups.map { $0.value(of: subject) })
            if let index = groupIndexes[key] {
                members[index].append(subject)
            } else {
                groupIndexes[key] = members.count
                members.append([subject])
            }
        }
        return members.map { result($0) }
    }

    private func result<Subject: PredicateSubject>(_ members: [Subject]) -> Result where Subject.Related == Subject {
        let values = columns.map { column in
            guard let function = column.function else {
                return members.first.map { column.path.value(of: $0) } ?? .null
            }
            // An aggregate of a group ignores missing values.
            let values = members.map { column.path.value(of: $0) }.filter { !$0.isNull }
            return column.typed(function.value(of: values, kind: column.path.kind))
        }
        let keys = order.map { term in
            switch term {
            case .column(let index, _): values[index]
            case .path(let path, _): members.first.map { path.value(of: $0) } ?? .null
            }
        }
        return Result(values: values, keys: keys, id: members.first?.predicateID ?? UniqueID(high: 0, low: 0))
    }
}

/// Equality as in SQL: strings are equal if their bytes are, while Swift's `==` compares canonical forms.
package struct ValueIdentity: Hashable, Sendable {
    private let values: [PropertyValue]

    package init(_ values: [PropertyValue]) {
        self.values = values
    }

    package static func == (left: ValueIdentity, right: ValueIdentity) -> Bool {
        left.values.count == right.values.count
            && zip(left.values, right.values).allSatisfy { one, other in
                if one.isNull || other.isNull { return one.isNull && other.isNull }
                return one.compared(to: other).map { $0 == 0 } ?? (one == other)
            }
    }

    package func hash(into hasher: inout Hasher) {
        for value in values {
            switch value {
            case .string(let text), .uri(let text), .composite(let text): for byte in text.utf8 { hasher.combine(byte) }
            // An integer and a double may be equal, and so may two texts.
            case .integer(let number): hasher.combine(Double(number))
            case .double(let number): hasher.combine(number)
            case .decimal(let text): hasher.combine(Double(text) ?? 0)
            default: hasher.combine(value)
            }
        }
    }
}
