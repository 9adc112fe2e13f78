public import Observation
import TributaryChanges
import TributaryModel
import TributaryStore

/// The results of a request, kept in step with a context: what a list shows.
///
/// ```swift
/// let controller = try FetchedResultsController<Employee>(
///     FetchRequest("Employee", sortKeys: [SortKey("name")]),
///     context: container.viewContext,
///     sectionKeyPath: "department.title"
/// )
/// controller.onChange = { diff in table.apply(diff) }
/// ```
/// After each group of changes of its context, unsaved ones and merges alike, it looks at the objects that were touched
/// and tells what that means for the list, also for objects that the context did not have before: the cost grows with the
/// number of changed objects, not with the number of results. It asks again, at the cost of a fetch, when a merge was too
/// large to list, when the request has a limit, an offset or `now()`, or when an object was touched to which the
/// request's key paths lead. It belongs to its context, like the objects; ``sections`` can be observed.
@Observable
public final class FetchedResultsController<Object: ManagedObject> {
    /// The results by section, with the objects' IDs.
    ///
    /// Observers of the property are also notified when objects have changed and kept their places. Reading it after
    /// objects have come, gone or moved visits all objects of the sections in question; ``object(at:)``,
    /// ``position(of:)`` and the counts cost as much as a search in a tree.
    public var sections: [FetchedSection] { observed.fetchedSections }
    /// The number of results.
    public var count: Int { observed.count }
    /// The number of sections.
    public var sectionCount: Int { observed.sectionCount }
    /// Called with each diff, after ``sections`` has changed.
    @ObservationIgnored public var onChange: ((FetchedResultsDiff) -> Void)?
    /// Called when asking again has failed; the sections stay as they were until the next change, which asks again.
    @ObservationIgnored public var onError: ((any Error) -> Void)?
    /// What is asked.
    @ObservationIgnored public let request: FetchRequest
    /// The context of the objects.
    @ObservationIgnored public let context: ManagedObjectContext
    /// The path whose values divide the results.
    @ObservationIgnored public let sectionKeyPath: String?

    @ObservationIgnored private let query: ResultsQuery
    @ObservationIgnored private var listing: ResultsListing
    @ObservationIgnored private var observer: ObserverToken?
    /// Whether something was missed because asking has failed.
    @ObservationIgnored private var hasMissed = false
    @ObservationIgnored let diffObservers = ObserverList<(FetchedResultsDiff) -> Void>()
    @ObservationIgnored let errorObservers = ObserverList<(any Error) -> Void>()
    @ObservationIgnored private let broadcast = Broadcast<FetchedResultsDiff>(limit: 1024)

    /// Fetches, and follows the context from then on.
    ///
    /// - Parameters:
    ///   - request: which objects and in what order; batch size, prefetching, dictionaries and
    ///     ``FetchRequest/includesPendingChanges`` play no part.
    ///   - context: the context that it belongs to.
    ///   - sectionKeyPath: a path to an attribute; sections are in the order of its values, before all sort keys.
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate, sort keys or path do not fit the model.
    public init(_ request: FetchRequest, context: ManagedObjectContext, sectionKeyPath: String? = nil) throws {
        self.request = request
        self.context = context
        self.sectionKeyPath = sectionKeyPath
        try context.schema.check(Object.self, isClassOf: try context.kind(named: request.entityName))
        query = try ResultsQuery(request, sectionKeyPath: sectionKeyPath, schema: context.schema)
        listing = ResultsListing(query, try query.fetch(in: context))
        follow()
    }

    /// The number of objects in a section; 0 where there is none.
    public func count(inSection index: Int) -> Int { observed.count(inSection: index) ?? 0 }

    /// The object at a place.
    public func object(at position: FetchedPosition) -> Object? { observed.object(at: position) as? Object }

    /// Where an object stands.
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

    /// The listing, for a reader who is to be notified of each change.
    private var observed: ResultsListing {
        access(keyPath: \.sections)
        return listing
    }

    /// How many steps the updates of the listing have taken.
    package var stepCount: Int { listing.steps.count }

    /// The diffs from now on.
    ///
    /// A reader that falls 1,024 diffs behind loses the oldest, and has to begin anew from ``sections``. They end with
    /// ``stop()``, and when the context closes.
    public func changes() -> AsyncStream<FetchedResultsDiff> { broadcast.stream() }

    /// Asks again now, and tells what that changes.
    ///
    /// It does so by itself whenever its context changes; call it when time alone may have changed the answer.
    ///
    /// - Throws: ``ContextError``, or `ObjectPredicateError`.
    public func refetch() throws {
        let entries = try query.fetch(in: context)
        let hadMissed = hasMissed
        hasMissed = false
        replaceAll(entries) { _ in hadMissed }
    }

    /// Follows the context no more.
    public func stop() {
        if let observer { context.removeObserver(observer) }
        observer = nil
        broadcast.finish()
    }

    deinit {
        broadcast.finish()
    }

    // MARK: Following

    private func follow() {
        let context = context
        // A context that closes lets go of its observers: the streams end then.
        let ending = Ending { [broadcast] in broadcast.finish() }
        var observer: ObserverToken?
        observer = context.observeChanges { [weak self] notice in
            guard let self else {
                observer?.cancel()
                return
            }
            withExtendedLifetime(ending) { self.apply(notice) }
        }
        self.observer = observer
    }

    private func apply(_ notice: ObjectsDidChange) {
        let touched = Set(
            [
                notice.inserted, notice.updated, notice.deleted, notice.merged.inserted, notice.merged.updated,
                notice.merged.deleted,
            ].joined()
        )
        do {
            if hasMissed || notice.isEverything || query.mustAskAgain(touched) {
                let entries = try query.fetch(in: context)
                let isAnything = hasMissed || notice.isEverything
                hasMissed = false
                replaceAll(entries) { isAnything || touched.contains($0) }
                return
            }
            let own = touched.filter { $0.rootEntity == query.entity.root }
            guard !own.isEmpty else { return }
            update(own, try query.matches(own, in: context))
        } catch {
            hasMissed = true
            onError?(error)
            errorObservers.forEach { $0(error) }
        }
    }

    /// Updates the listing where the touched objects are and belong.
    private func update(_ touched: Set<ManagedObjectID>, _ entries: [ResultsEntry]) {
        guard !entries.isEmpty || touched.contains(where: listing.contains) else { return }
        send(withMutation(keyPath: \.sections) { listing.update(touched, entries) })
    }

    /// Compares all entries with all of before.
    private func replaceAll(_ entries: [ResultsEntry], touched: (ManagedObjectID) -> Bool) {
        let new = ResultsListing(query, entries)
        let diff = FetchedResultsDiff(from: listing.fetchedSections, to: new.fetchedSections, touched: touched)
        // Without a difference only the values have changed that the entries are sorted by.
        guard !diff.isEmpty else {
            listing = new
            return
        }
        withMutation(keyPath: \.sections) { listing = new }
        send(diff)
    }

    private func send(_ diff: FetchedResultsDiff) {
        // First the streams: what the handler does may bring the next diff.
        broadcast.send(diff)
        onChange?(diff)
        diffObservers.forEach { $0(diff) }
    }
}
