import TributaryChanges
import TributaryModel
import TributaryStore

struct FetchOperation {
    let context: ManagedObjectContext
    let request: FetchRequest<ManagedObject>

    init(context: ManagedObjectContext, request: FetchRequest<ManagedObject>) {
        self.context = context
        var request = request
        request.predicate = request.predicate.map(context.store.resolvingNow)
        self.request = request
    }

    func objects() throws -> [ManagedObject] {
        let objects: [ManagedObject]
        if request.includesPropertyValues, !request.returnsObjectsAsFaults {
            switch try candidates() {
            case .rows(var rows):
                context.registry.table.reserve(
                    rows.count,
                    rootIndex: try context.descriptor(named: request.entityName).rootIndex
                )
                objects = rows.indices.map { context.object(taking: &rows[$0]) }
            case .mixed(let candidates):
                objects = candidates.map { candidate in
                    switch candidate {
                    case .row(let row): context.object(for: row)
                    case .object(let object): object
                    }
                }
            }
        } else {
            objects = try ids(fillingRowCache: request.includesPropertyValues).map { context.fault(for: $0) }
        }
        try prefetch(for: objects)
        return objects
    }

    func prefetch(for objects: [ManagedObject]) throws {
        let operation = PrefetchOperation(context: context)
        try operation.prefetch(request.prefetchedKeyPaths, of: objects, entity: request.entityName)
    }

    func ids(fillingRowCache: Bool) throws -> [ManagedObjectID] {
        if let other = withoutOwnChanges() { return try other.ids(fillingRowCache: fillingRowCache) }
        context.processAllChanges()
        let rows = fillingRowCache ? try context.reader.readResultsAhead(context.home.query(request)) : nil
        if let candidates = try overUnsavedChanges() { return candidates.map(\.id) }
        return try rows?.map(\.id) ?? context.reader.readResults { try $0.ids(context.home.query(request)) }
    }

    func count() throws -> Int {
        if let other = withoutOwnChanges() { return try other.count() }
        context.processAllChanges()
        if let candidates = try overUnsavedChanges() { return candidates.count }
        return try context.reader.readResults { try $0.count(context.home.query(request)) }
    }

    private enum Candidate {
        case row(Row)
        case object(ManagedObject)

        var id: ManagedObjectID {
            switch self {
            case .row(let row): row.id
            case .object(let object): object.objectID
            }
        }
    }

    private enum Candidates {
        case rows([Row])
        case mixed([Candidate])
    }

    private func candidates() throws -> Candidates {
        if let other = withoutOwnChanges() {
            let found = try other.candidates()
            guard case .mixed(let candidates) = found else { return found }
            return .mixed(
                candidates.map { candidate in
                    guard case .object(let object) = candidate else { return candidate }
                    return object.row.map(Candidate.row) ?? .object(context.object(with: object.objectID))
                }
            )
        }
        context.processAllChanges()
        if let candidates = try overUnsavedChanges() { return .mixed(candidates) }
        return .rows(try context.reader.readResults { try $0.rows(context.home.query(request)) })
    }

    private func overUnsavedChanges() throws -> [Candidate]? {
        if let objects = try objectsOverChangedRelations() {
            return request.slice(objects).map(Candidate.object)
        }
        let descriptor = try context.descriptor(named: request.entityName)
        // Each changed object of the root entity replaces at most one row; an object above may be included twice.
        let dirtyCount =
            request.includesPendingChanges ? context.pending.count(rootIndex: descriptor.rootIndex) : 0
        let hiddenCount = dirtyCount + (context.above?.unsavedCount(rootIndex: descriptor.rootIndex) ?? 0)
        guard hiddenCount > 0 else { return nil }
        let terms = try FetchTerm.terms(of: request.predicate, entity: descriptor.entity, in: context.schema.model)
        return try merged(descriptor, unsavedMatches(terms, descriptor), hiddenCount: hiddenCount)
    }

    private func merged(
        _ descriptor: EntityDescriptor,
        _ unsaved: [ManagedObject],
        hiddenCount: Int
    ) throws -> [Candidate] {
        var query = try context.home.query(request)
        let keys = try request.sortKeys.map { try $0.bind(to: query.entity, in: context.schema.model) }
        query.offset = 0
        query.limit = request.reach(hidden: hiddenCount)
        let stored = try context.reader.readResults { try $0.rows(query) }.filter {
            !isHidden($0.uniqueID, descriptor)
        }
        let own = unsaved.sorted { precedes($0, $1, keys) }
        var result: [Candidate] = []
        result.reserveCapacity(stored.count + own.count)
        var next = 0
        for object in own {
            // Both lists are sorted, so rows are compared until one comes after the object.
            while next < stored.count, precedes(context.object(for: stored[next]), object, keys) {
                result.append(.row(stored[next]))
                next += 1
            }
            result.append(.object(object))
        }
        result += stored[next...].map(Candidate.row)
        return request.slice(result)
    }

    func precedes(_ left: ManagedObject, _ right: ManagedObject, _ keys: [BoundSortKey]) -> Bool {
        for key in keys {
            let order = key.order(left, right)
            if order != 0 { return order < 0 }
        }
        return left.uniqueID < right.uniqueID
    }

    func objectsAsynchronously() async throws -> [ManagedObject] {
        try Task.checkCancellation()
        // A child also shows its parent's unsaved changes, which only this queue knows.
        guard let generation = context.generation, context.reader.isStore else { return try self.objects() }
        let query = try context.home.query(request)
        let wantsRows = request.includesPropertyValues
        let answer: (rows: [Row], ids: [ManagedObjectID], number: Int64)
        do {
            answer = try await generation.readAsync { reader in
                let rows = wantsRows ? try reader.rows(query) : []
                let ids = wantsRows ? rows.map(\.id) : try reader.ids(query)
                return (rows, ids, try reader.history.newestTransaction())
            }
        } catch let error as StoreError {
            throw ContextError(error)
        }
        context.processPendingChanges()
        // A merge or an edit during the query may change the result.
        guard context.generation === generation, context.pending.count == 0 || !request.includesPendingChanges else {
            return try self.objects()
        }
        let objects: [ManagedObject]
        if wantsRows, !request.returnsObjectsAsFaults {
            objects = answer.rows.map { context.object(for: $0) }
        } else {
            context.reader.keep(answer.rows, readAt: answer.number)
            objects = answer.ids.map { context.fault(for: $0) }
        }
        try prefetch(for: objects)
        return objects
    }

    func dictionaries() throws -> [FetchedValues] {
        context.processAllChanges()
        if let other = withoutOwnChanges() { return try other.dictionaries() }
        let plan = try context.home.dictionaryPlan(request)
        let isOverlaid =
            context.above?.hasUnsaved == true || request.includesPendingChanges && context.pending.count > 0
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
