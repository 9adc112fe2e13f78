import TributaryChanges
import TributaryModel
import TributaryStore

extension FetchOperation {
    func dictionaries() throws -> [FetchedValues] {
        // The contexts above process their changes first, because these changes may change objects here.
        context.source.processChanges()
        context.processChanges()
        let request = resolved(request)
        if let other = withoutOwnChanges() { return try other.dictionaries() }
        let plan = try context.home.dictionaryPlan(request)
        let isOverlaid = context.source.hasUnsaved || request.includesPendingChanges && context.pending.count > 0
        guard isOverlaid else {
            return context.home.named(try context.reader.readResults { try $0.values(plan) }, plan)
        }
        var objects = request
        objects.sortKeys = []
        objects.fetchLimit = nil
        objects.fetchOffset = 0
        objects.includesPropertyValues = true
        objects.returnsObjectsAsFaults = false
        objects.prefetchedKeyPaths = plan.prefetchedKeyPaths
        return context.home.named(plan.values(of: try context.fetch(objects)), plan)
    }
}

extension ContextHome {
    func dictionaryPlan(_ request: FetchRequest<ManagedObject>) throws -> DictionaryPlan {
        let objects = try query(request)
        return try DictionaryPlan(
            DictionaryQuery(
                objects: objects,
                columns: request.columns(of: objects.entity),
                groupBy: request.groupBy,
                having: request.having.map(store.resolvingNow),
                isDistinct: request.returnsDistinctResults
            ),
            model: schema.model
        )
    }
}

extension DictionaryPlan {
    fileprivate var prefetchedKeyPaths: [String] {
        let paths = columns.map(\.path) + groups
        return Set(paths.map { $0.steps.map(\.relationship.name).joined(separator: ".") }.filter { !$0.isEmpty })
            .sorted()
    }
}

extension FetchRequest {
    /// Returns the requested columns; by default those of `groupBy`, or all properties with one value.
    fileprivate func columns(of entity: Entity) -> [DictionaryQuery.Column] {
        var properties = propertiesToFetch
        if properties.isEmpty { properties = groupBy.map { FetchedProperty($0) } }
        if properties.isEmpty {
            properties = entity.properties.filter { property in
                property.attribute?.isStored ?? (property.relationship?.isToMany == false)
            }.map { FetchedProperty($0.name) }
        }
        return properties.map { property in
            DictionaryQuery.Column(
                name: property.name,
                keyPath: property.keyPath,
                function: property.function?.aggregate
            )
        }
    }
}

extension FetchedProperty.Function {
    fileprivate var aggregate: ObjectPredicate.Aggregate {
        switch self {
        case .count: .count
        case .sum: .sum
        case .min: .min
        case .max: .max
        case .average: .average
        }
    }
}
