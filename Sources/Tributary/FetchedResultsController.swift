public import Observation
import TributaryChanges
import TributaryModel

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
/// and tells what that means for the list, also for objects that the context did not have before. When a merge was too
/// large to list, or the request has a limit, or an object was touched to which the request's key paths lead, it asks
/// again. It belongs to its context, like the objects; `sections` can be observed.
@Observable
public final class FetchedResultsController<Object: ManagedObject> {
    /// The results by section, with the objects' IDs.
    public private(set) var sections: [FetchedSection] = []
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
    @ObservationIgnored private var entries: [ResultsEntry] = []
    @ObservationIgnored private var places: [ManagedObjectID: ResultsEntry] = [:]
    @ObservationIgnored private var observer: Int?
    /// Whether something was missed because asking has failed.
    @ObservationIgnored private var hasMissed = false
    @ObservationIgnored private let broadcast = Broadcast<FetchedResultsDiff>(limit: 1024)

    /// Fetches, and follows the context from then on.
    ///
    /// - Parameters:
    ///   - request: which objects and in what order; batch size, prefetching and dictionaries play no part.
    ///   - context: the context that it belongs to.
    ///   - sectionKeyPath: a path to an attribute; sections are in the order of its values, before all sort keys.
    /// - Throws: ``ContextError``, or `ObjectPredicateError` when predicate, sort keys or path do not fit the model.
    public init(_ request: FetchRequest, context: ManagedObjectContext, sectionKeyPath: String? = nil) throws {
        self.request = request
        self.context = context
        self.sectionKeyPath = sectionKeyPath
        try context.schema.check(Object.self, isClassOf: try context.kind(named: request.entityName))
        query = try ResultsQuery(request, sectionKeyPath: sectionKeyPath, schema: context.schema)
        entries = try query.fetch(in: context)
        places = Dictionary(entries.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        sections = query.sections(entries)
        follow()
    }

    /// The object at a place.
    public func object(at position: FetchedPosition) -> Object? {
        guard sections.indices.contains(position.section),
            sections[position.section].objectIDs.indices.contains(position.item)
        else { return nil }
        return places[sections[position.section].objectIDs[position.item]]?.object as? Object
    }

    /// Where an object stands.
    public func position(of object: ManagedObject) -> FetchedPosition? {
        for (section, content) in sections.enumerated() {
            if let item = content.objectIDs.firstIndex(of: object.objectID) {
                return FetchedPosition(section: section, item: item)
            }
        }
        return nil
    }

    /// All objects, in order.
    public var fetchedObjects: [Object] {
        sections.flatMap(\.objectIDs).compactMap { places[$0]?.object as? Object }
    }

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
        show(entries) { _ in hadMissed }
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
        var number = 0
        number = context.observeChanges { [weak self, weak context] notice in
            guard let self else {
                context?.removeObserver(number)
                return
            }
            withExtendedLifetime(ending) { self.take(notice) }
        }
        observer = number
    }

    private func take(_ notice: ObjectsDidChange) {
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
                show(entries) { isAnything || touched.contains($0) }
                return
            }
            let own = touched.filter { $0.rootEntity == query.entity.root }
            guard !own.isEmpty else { return }
            let changed = try query.matches(own, in: context)
            guard !changed.isEmpty || own.contains(where: { places[$0] != nil }) else { return }
            show(query.merge(entries.filter { !own.contains($0.id) }, changed)) { own.contains($0) }
        } catch {
            hasMissed = true
            onError?(error)
        }
    }

    private func show(_ new: [ResultsEntry], touched: (ManagedObjectID) -> Bool) {
        let after = query.sections(new)
        let diff = FetchedResultsDiff(from: sections, to: after, touched: touched)
        entries = new
        places = Dictionary(new.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        guard !diff.isEmpty else { return }
        sections = after
        // First the streams: what the handler does may bring the next diff.
        broadcast.send(diff)
        onChange?(diff)
    }
}
