import TributaryStore

/// The results of a request as objects of the view context, in portions, with the SQL run off the main actor.
///
/// ```swift
/// for try await portion in view.stream(FetchRequest("Employee"), as: Employee.self) { show(portion) }
/// ```
/// All portions are of the generation that the context showed when the iteration began. When the context merges
/// meanwhile, the objects of later portions have their values at the new generation, and deleted objects are omitted.
/// Objects show their unsaved changes, but these do not affect which objects match. At most one portion is in memory,
/// as far as the program releases the objects. When the container is closed meanwhile, reading the next portion throws
/// ``ContextError/closed``.
public struct ObjectStream<Object: ManagedObject>: AsyncSequence {
    /// A portion.
    public typealias Element = [Object]

    let context: ManagedObjectContext
    let request: FetchRequest<ManagedObject>

    /// An iterator over the portions.
    public struct Iterator: AsyncIteratorProtocol {
        let context: ManagedObjectContext
        let request: FetchRequest<ManagedObject>
        fileprivate var portions = RowPortions()

        /// Returns the next portion, or nil after the last one; for callers on the main actor.
        public mutating func next() async throws -> [Object]? { try await next(isolation: #isolation) }

        /// Returns the next portion, or nil after the last one.
        ///
        /// `for await` passes the actor of the loop, so that the objects stay there.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Object]? {
            let context = context
            let request = request
            return try await portions.next(request.portion) {
                try context.schema.check(Object.self, isClassOf: try context.descriptor(named: request.entityName))
                let query = try context.home.query(request)
                guard let generation = context.generation else {
                    return try await RowCursor.open(query, at: context.store.pinAsync())
                }
                return try await RowCursor.open(query, at: generation)
            } making: { rows, generation in
                // The container may have been closed while the rows were read.
                guard !context.isClosed else { throw ContextError.closed }
                return try Iterator.objects(for: rows, of: generation, in: context).compactMap { $0 as? Object }
            }
        }

        private static func objects(
            for rows: [Row],
            of generation: Generation,
            in context: ManagedObjectContext
        ) throws(ContextError) -> [ManagedObject] {
            context.checkConfinement()
            guard context.generation !== generation else { return rows.map { context.object(for: $0) } }
            var objects: [ManagedObject] = []
            for row in rows {
                let object = context.fault(for: row.id)
                do {
                    try object.load()
                    objects.append(object)
                } catch .notFound, .notYetMerged {
                    continue
                }
            }
            return objects
        }
    }

    /// Returns an independent iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(context: context, request: request) }
}

/// The results of a request as values, in portions, as they arrive.
///
/// ```swift
/// for try await portion in container.stream(FetchRequest("Employee", sortKeys: [SortKey("name")])) {
///     list += portion.map { $0["name"] }
/// }
/// ```
/// All portions belong to one generation, the newest at the beginning of the iteration. At most one portion is in
/// memory, besides the rows that SQLite needs to sort. The stream ends with `CancellationError` when its task is
/// cancelled, and with ``ContextError/closed`` when the container is closed. During the iteration the store's
/// write-ahead log cannot be restarted.
public struct SnapshotStream: AsyncSequence, Sendable {
    /// A portion.
    public typealias Element = [ObjectSnapshot]

    let home: ContextHome
    let request: FetchRequest<ManagedObject>

    /// An iterator over the portions.
    public struct Iterator: AsyncIteratorProtocol {
        let home: ContextHome
        let request: FetchRequest<ManagedObject>
        fileprivate var portions = RowPortions()

        /// Returns the next portion, or nil after the last one.
        public mutating func next() async throws -> [ObjectSnapshot]? {
            let home = home
            let request = request
            return try await portions.next(request.portion) {
                try await RowCursor.open(home.query(request), at: home.store.pinAsync())
            } making: { rows, _ in
                rows.map { $0.snapshot(home.store.readable) }
            }
        }
    }

    /// Returns an independent iteration, at the generation that is the newest when it begins.
    public func makeAsyncIterator() -> Iterator { Iterator(home: home, request: request) }
}

private struct RowPortions {
    private var cursor: RowCursor?
    private var isOver = false

    mutating func next<Elements>(
        _ count: Int,
        from open: () async throws -> RowCursor,
        making elements: ([Row], Generation) throws -> Elements
    ) async throws -> Elements? {
        guard !isOver else { return nil }
        do {
            let cursor = if let cursor { cursor } else { try await open() }
            self.cursor = cursor
            let rows = try await cursor.next(count)
            let result = try elements(rows, cursor.generation)
            if rows.isEmpty { end() }
            return rows.isEmpty ? nil : result
        } catch {
            end()
            throw (error as? StoreError).map { ContextError($0) } ?? error
        }
    }

    private mutating func end() {
        isOver = true
        cursor = nil
    }
}

extension FetchRequest {
    var portion: Int { fetchBatchSize > 0 ? fetchBatchSize : 200 }
}
