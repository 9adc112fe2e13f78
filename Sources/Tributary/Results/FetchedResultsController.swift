// Fetched results: a request with results that follow the context, in sections, with the differences.

public import Observation
import TributaryChanges
import TributaryModel
import TributaryStore

/// The results of a request, updated with the changes of a context, for a list view.
///
/// ```swift
/// let controller = try FetchedResultsController<Employee>(
///     FetchRequest(sortKeys: [SortKey("name")]),
///     context: container.viewContext,
///     sectionKeyPath: "department.title"
/// )
/// controller.onChange = { diff in table.apply(diff) }
/// ```
/// After each group of changes of its context, including unsaved changes and merges, the controller visits the changed
/// objects and computes the difference of the list, also for objects that were not in the context. The cost grows with
/// the number of changed objects, not with the number of results. It fetches again when a merge was too large to list,
/// when the request has a limit, an offset or `now()`, or when the request's key paths lead to a changed object. It
/// belongs to its context, like the objects; ``sections`` can be observed.
@Observable
public final class FetchedResultsController<Object: ManagedObject> {
    /// The results by section, with the objects' IDs.
    ///
    /// Observers of the property are also notified when objects have changed and kept their positions. Reading it after
    /// objects were inserted, removed or moved visits all objects of the affected sections; ``object(at:)``,
    /// ``position(of:)`` and the counts cost as much as a search in a tree.
    public var sections: [FetchedSection] { observed.fetchedSections }
    /// The number of results.
    public var count: Int { observed.count }
    /// The number of sections.
    public var sectionCount: Int { observed.sectionCount }
    /// Called with each diff, after ``sections`` has changed.
    public var onChange: ((FetchedResultsDiff) -> Void)? {
        get { diffObservers.first }
        set { diffObservers.first = newValue }
    }
    /// Called when a fetch has failed; the sections stay unchanged until the next change, which fetches again.
    public var onError: ((any Error) -> Void)? {
        get { errorObservers.first }
        set { errorObservers.first = newValue }
    }
    /// The request of the controller.
    @ObservationIgnored public let request: FetchRequest<Object>
    /// The context of the objects.
    @ObservationIgnored public let context: ManagedObjectContext
    /// The key path that divides the results into sections by its values.
    @ObservationIgnored public let sectionKeyPath: String?

    @ObservationIgnored private let query: ResultsQuery
    @ObservationIgnored private var listing: ResultsListing
    @ObservationIgnored private var observer: ObserverToken?
    @ObservationIgnored private var hasMissed = false
    @ObservationIgnored let diffObservers = ObserverList<(FetchedResultsDiff) -> Void>()
    @ObservationIgnored let errorObservers = ObserverList<(any Error) -> Void>()
    @ObservationIgnored private let broadcast = Broadcast<FetchedResultsDiff>(limit: 1024)

    /// Fetches the results, and updates them with the changes of the context from then on.
    ///
    /// - Parameters:
    ///   - request: the entity, condition and order; batch size, prefetching, dictionaries and
    ///     ``FetchRequest/includesPendingChanges`` are ignored.
    ///   - context: the context of the controller and its objects.
    ///   - sectionKeyPath: a path to an attribute; sections are sorted by its values, before all sort keys.
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate, sort keys or path do not fit the model.
    public init(
        _ request: FetchRequest<Object>,
        context: ManagedObjectContext,
        sectionKeyPath: String? = nil
    ) throws {
        self.request = request
        self.context = context
        self.sectionKeyPath = sectionKeyPath
        try context.schema.check(Object.self, isClassOf: try context.descriptor(named: request.entityName))
        query = try ResultsQuery(request.untyped, sectionKeyPath: sectionKeyPath, schema: context.schema)
        listing = ResultsListing(query, try query.fetch(in: context))
        follow()
    }

    /// Fetches the results of a request that names an entity, as objects of the controller's class.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate, sort keys or path do not fit the model.
    public convenience init(
        _ request: FetchRequest<some ManagedObject>,
        context: ManagedObjectContext,
        sectionKeyPath: String? = nil
    ) throws {
        try self.init(FetchRequest<Object>(request), context: context, sectionKeyPath: sectionKeyPath)
    }

    /// Fetches the results of a request as objects of a class.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate, sort keys or path do not fit the model.
    public convenience init(
        _ request: FetchRequest<some ManagedObject>,
        as type: Object.Type,
        context: ManagedObjectContext,
        sectionKeyPath: String? = nil
    ) throws {
        try self.init(FetchRequest<Object>(request), context: context, sectionKeyPath: sectionKeyPath)
    }

    /// Returns the number of objects in a section; 0 for an invalid index.
    public func count(inSection index: Int) -> Int { observed.count(inSection: index) ?? 0 }

    /// Returns the object at a position, or nil for an invalid position.
    public func object(at position: FetchedPosition) -> Object? { observed.object(at: position) as? Object }

    /// Returns the position of an object, or nil when it is not a result.
    public func position(of object: ManagedObject) -> FetchedPosition? { observed.position(of: object.objectID) }

    /// All objects, in order.
    public var fetchedObjects: [Object] {
        var objects: [Object] = []
        objects.reserveCapacity(listing.count)
        observed.forEachObject { object in
            if let object = object as? Object { objects.append(object) }
        }
        return objects
    }

    private var observed: ResultsListing {
        access(keyPath: \.sections)
        return listing
    }

    package var stepCount: Int { listing.steps.count }

    /// Returns the diffs from now on.
    ///
    /// A reader that is more than 1,024 diffs behind loses the oldest, and has to start again from ``sections``. The
    /// diffs end with ``stop()``, and when the context closes.
    public func changes() -> AsyncStream<FetchedResultsDiff> { broadcast.stream() }

    /// Fetches again now, and notifies observers of the difference.
    ///
    /// The controller updates itself whenever its context changes; call this when only the time may have changed the
    /// results.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError`.
    public func refetch() throws {
        let entries = try query.fetch(in: context)
        let hadMissed = hasMissed
        hasMissed = false
        replaceAll(entries) { _ in hadMissed }
    }

    /// Stops updating the results.
    public func stop() {
        if let observer { context.removeObserver(observer) }
        observer = nil
        broadcast.finish()
    }

    deinit {
        broadcast.finish()
    }

    private func follow() {
        let context = context
        // A context that closes releases its observers, which ends the streams.
        let ending = Ending { [broadcast] in broadcast.finish() }
        var observer: ObserverToken?
        observer = context.observeChanges { [weak self] changes in
            guard let self else {
                observer?.cancel()
                return
            }
            withExtendedLifetime(ending) { self.apply(changes) }
        }
        self.observer = observer
    }

    private func apply(_ changes: ObjectsDidChange) {
        let touched = Set(
            [
                changes.inserted, changes.updated, changes.deleted, changes.merged.inserted, changes.merged.updated,
                changes.merged.deleted,
            ].joined()
        )
        do {
            if hasMissed || changes.isEverything || query.mustAskAgain(touched) {
                let entries = try query.fetch(in: context)
                let isAnything = hasMissed || changes.isEverything
                hasMissed = false
                replaceAll(entries) { isAnything || touched.contains($0) }
                return
            }
            let own = touched.filter { $0.rootEntity == query.entity.root }
            guard !own.isEmpty else { return }
            let entries = try query.matches(own, in: context)
            guard !entries.isEmpty || own.contains(where: listing.contains) else { return }
            send(withMutation(keyPath: \.sections) { listing.update(own, entries) })
        } catch {
            hasMissed = true
            errorObservers.forEach { $0(error) }
        }
    }

    private func replaceAll(_ entries: [ResultsEntry], touched: (ManagedObjectID) -> Bool) {
        let new = ResultsListing(query, entries)
        let diff = FetchedResultsDiff(from: listing.fetchedSections, to: new.fetchedSections, touched: touched)
        // Without a difference, only the sort values of the entries have changed.
        guard !diff.isEmpty else {
            listing = new
            return
        }
        withMutation(keyPath: \.sections) { listing = new }
        send(diff)
    }

    private func send(_ diff: FetchedResultsDiff) {
        // The streams come first, because the handler may cause the next diff.
        broadcast.send(diff)
        diffObservers.forEach { $0(diff) }
    }
}

struct ResultsQuery {
    let entity: Entity
    private let request: FetchRequest<ManagedObject>
    private let predicate: BoundPredicate?
    private let keys: [BoundSortKey]
    private let hasSections: Bool
    private let reached: Set<String>
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

    /// Includes each relationship with a name in the request: at worst the controller fetches unnecessarily.
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

    func matches(_ ids: Set<ManagedObjectID>, in context: ManagedObjectContext) throws -> [ResultsEntry] {
        try FaultLoading(context: context).loadBatch(Array(ids)).filter { isMatch($0) }.map { entry($0) }
    }

    private func isMatch(_ object: ManagedObject) -> Bool {
        guard object.state != .gone, object.state != .deleted, object.state != .detached else { return false }
        // Only unsaved rows of contexts above have not been read yet; other rows are missing.
        if object.isFault {
            guard object.managedObjectContext?.above?.unsaved(object.key) != nil, (try? object.load()) != nil else {
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

    func sectionKey(_ entry: ResultsEntry) -> PropertyValue { hasSections ? entry.keys.first ?? .null : .null }

    func sectionOrder(_ key: PropertyValue, _ entry: ResultsEntry) -> Int {
        guard hasSections else { return 0 }
        let order = key.sortOrder(to: sectionKey(entry))
        return keys.first?.isAscending == false ? -order : order
    }
}

struct ResultsEntry {
    let object: ManagedObject
    let keys: [PropertyValue]

    var id: ManagedObjectID { object.objectID }
}

extension FetchedResultsController {
    /// Calls `block` with each diff, after ``sections`` has changed.
    ///
    /// Observers are called in the order of their registration, after ``onChange``; ``changes()`` is for tasks.
    ///
    /// - Returns: A token that cancels the observer.
    @discardableResult
    public func observeDiffs(_ block: @escaping (FetchedResultsDiff) -> Void) -> ObserverToken {
        context.checkConfinement()
        return diffObservers.add(block)
    }

    /// Calls `block` when a fetch after a change has failed, after ``onError``.
    ///
    /// - Returns: A token that cancels the observer.
    @discardableResult
    public func observeErrors(_ block: @escaping (any Error) -> Void) -> ObserverToken {
        context.checkConfinement()
        return errorObservers.add(block)
    }
}

/// The position of an object in the sections of a ``FetchedResultsController``.
public struct FetchedPosition: Sendable, Hashable {
    /// The section's index.
    public var section: Int
    /// The index in the section.
    public var item: Int

    /// Creates a position from its indices.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }
}
