import TributaryChanges
import TributaryModel
import TributaryStore

/// The query of a results controller, prepared for the store and for single objects.
struct ResultsQuery {
    let entity: Entity
    private let request: FetchRequest<ManagedObject>
    private let predicate: BoundPredicate?
    private let keys: [BoundSortKey]
    private let hasSections: Bool
    /// Root entities to which key paths of the request lead.
    private let reached: Set<String>
    /// Whether the results change with the time, because the request has `now()`.
    private let dependsOnTime: Bool

    init(_ request: FetchRequest<ManagedObject>, sectionKeyPath: String?, schema: ObjectSchema) throws {
        guard let descriptor = schema.descriptor(named: request.entityName) else {
            throw ContextError.unknownEntity(request.entityName)
        }
        entity = descriptor.entity
        var request = request
        request.returnsObjectsAsFaults = false
        request.includesPropertyValues = true
        request.includesPendingChanges = true
        if let path = sectionKeyPath {
            let isAscending = request.sortKeys.first.map { $0.keyPath == path && !$0.isAscending } != true
            request.sortKeys.removeAll { $0.keyPath == path }
            request.sortKeys.insert(SortKey(path, ascending: isAscending), at: 0)
        }
        // The keys of the entries are read from the objects.
        request.prefetchedKeyPaths = request.sortKeys.compactMap { key in
            let steps = key.keyPath.split(separator: ".").dropLast()
            return steps.isEmpty ? nil : steps.joined(separator: ".")
        }
        dependsOnTime = request.predicate.map { $0.resolvingNow(.epoch) != $0 } ?? false
        self.request = request
        hasSections = sectionKeyPath != nil
        // With `now()` the store is queried each time; this predicate only checks that the request fits the model.
        predicate = try request.predicate?.resolvingNow(.epoch).bind(to: descriptor.entity, in: schema.model)
        keys = try request.sortKeys.map { try $0.bind(to: descriptor.entity, in: schema.model) }
        reached = ResultsQuery.reached(request, schema: schema)
    }

    /// Returns the root entities to which key paths of the request may lead.
    ///
    /// Every relationship of the model whose name is a word of the request counts as a part of its key paths: at worst
    /// the controller fetches once too often.
    private static func reached(_ request: FetchRequest<ManagedObject>, schema: ObjectSchema) -> Set<String> {
        let texts = request.sortKeys.map(\.keyPath) + [request.predicate?.description ?? ""]
        let words = Set(texts.flatMap { $0.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init) })
        var roots: Set<String> = []
        for entity in schema.model.entities {
            for relationship in entity.relationships where words.contains(relationship.name) {
                roots.insert(
                    schema.descriptor(named: relationship.destination)?.entity.root ?? relationship.destination
                )
            }
        }
        return roots
    }

    func mustAskAgain(_ touched: Set<ManagedObjectID>) -> Bool {
        if request.fetchLimit != nil || request.fetchOffset > 0 || dependsOnTime {
            return touched.contains { $0.rootEntity == entity.root || reached.contains($0.rootEntity) }
        }
        return !reached.isEmpty && touched.contains { reached.contains($0.rootEntity) }
    }

    func fetch(in context: ManagedObjectContext) throws -> [ResultsEntry] {
        // The request's own order is kept, so that memory and SQL cannot disagree about it.
        try context.fetch(request).map(entry)
    }

    /// Returns the entries of those objects that match the request now; objects that are not in use are read at once.
    func matches(_ ids: Set<ManagedObjectID>, in context: ManagedObjectContext) throws -> [ResultsEntry] {
        try FaultLoading(context: context).loadBatch(Array(ids)).filter { isMatch($0) }.map { entry($0) }
    }

    private func isMatch(_ object: ManagedObject) -> Bool {
        guard object.state != .gone, object.state != .deleted, object.state != .detached else { return false }
        // Only unsaved rows of contexts above have not been read yet; other rows do not exist.
        if object.isFault {
            guard object.managedObjectContext?.source.unsaved(object.key) != nil, (try? object.load()) != nil else {
                return false
            }
        }
        return request.isFor(object.descriptor.entity) && predicate?.evaluate(on: object) ?? true
    }

    func entry(_ object: ManagedObject) -> ResultsEntry {
        ResultsEntry(object: object, keys: keys.map { $0.path.value(of: object) })
    }

    func precedes(_ left: ResultsEntry, _ right: ResultsEntry) -> Bool {
        for (index, key) in keys.enumerated() {
            let order = left.keys[index].sortOrder(to: right.keys[index])
            if order != 0 { return key.isAscending ? order < 0 : order > 0 }
        }
        return left.id.uniqueID < right.id.uniqueID
    }

    /// The value of the section key path; null without one.
    func sectionKey(_ entry: ResultsEntry) -> PropertyValue { hasSections ? entry.keys.first ?? .null : .null }

    /// Compares the section of the key with the entry's section: negative when it is earlier, 0 when it is the entry's.
    func sectionOrder(_ key: PropertyValue, _ entry: ResultsEntry) -> Int {
        guard hasSections else { return 0 }
        let order = key.sortOrder(to: sectionKey(entry))
        return keys.first?.isAscending == false ? -order : order
    }
}

/// A result of a controller, with the values by which it is sorted.
struct ResultsEntry {
    let object: ManagedObject
    /// The sort values; that of the section comes first.
    let keys: [PropertyValue]

    var id: ManagedObjectID { object.objectID }
}
