import TributaryStore

/// The results of a request as objects of the view context, in portions, with the SQL run off the main actor.
///
/// ```swift
/// for try await portion in view.stream(FetchRequest("Employee"), as: Employee.self) { show(portion) }
/// ```
/// All portions are of the generation that the context showed when the iteration began. When the context merges
/// meanwhile, the objects of later portions have their values at the new generation, and deleted objects are omitted.
/// Objects show their unsaved changes, but unsaved changes do not affect which objects match. At most one portion is in
/// memory, as far as the program releases the objects. When the container is closed meanwhile, the next portion is
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
        private var cursor: RowCursor?
        private var isOver = false

        init(context: ManagedObjectContext, request: FetchRequest<ManagedObject>) {
            self.context = context
            self.request = request
        }

        /// Returns the next portion, or nil after the last one; for callers on the main actor.
        public mutating func next() async throws -> [Object]? { try await next(isolation: #isolation) }

        /// Returns the next portion, or nil after the last one.
        ///
        /// `for await` passes the actor of the loop, so that the objects stay there.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Object]? {
            guard !isOver else { return nil }
            do {
                let cursor = if let cursor { cursor } else { try await open() }
                self.cursor = cursor
                let rows = try await cursor.next(request.portion)
                if rows.isEmpty { end() }
                // The container may have been closed while the rows were read.
                guard !context.isClosed else { throw ContextError.closed }
                return rows.isEmpty
                    ? nil : try objects(for: rows, of: cursor.generation).compactMap { $0 as? Object }
            } catch {
                end()
                throw (error as? StoreError).map { ContextError($0) } ?? error
            }
        }

        private func open() async throws -> RowCursor {
            try context.schema.check(Object.self, isClassOf: try context.descriptor(named: request.entityName))
            let query = try context.home.query(request)
            guard let generation = context.generation else {
                return try await RowCursor.open(query, at: context.store.pinAsync())
            }
            return try await RowCursor.open(query, at: generation)
        }

        /// Returns the objects of rows that were read at a generation which the context may have left.
        private func objects(for rows: [Row], of generation: Generation) throws(ContextError) -> [ManagedObject] {
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

        private mutating func end() {
            isOver = true
            cursor = nil
        }
    }

    /// Returns an independent iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(context: context, request: request) }
}
