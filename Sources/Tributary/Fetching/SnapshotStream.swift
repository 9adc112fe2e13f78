import TributaryStore

/// The results of a request as values, in portions, as they arrive.
///
/// ```swift
/// for try await portion in container.stream(FetchRequest("Employee", sortKeys: [SortKey("name")])) {
///     list += portion.map { $0["name"] }
/// }
/// ```
/// All portions are of one generation, the newest when the iteration began. At most one portion is in memory, besides
/// the rows that SQLite needs to sort. The stream ends with `CancellationError` when its task is cancelled, and with
/// ``ContextError/closed`` when the container is closed. While it lasts the store's write-ahead log cannot be
/// restarted.
public struct SnapshotStream: AsyncSequence, Sendable {
    /// A portion.
    public typealias Element = [ObjectSnapshot]

    let home: ContextHome
    let request: FetchRequest<ManagedObject>

    /// An iterator over the portions.
    public struct Iterator: AsyncIteratorProtocol {
        let home: ContextHome
        let request: FetchRequest<ManagedObject>
        private var cursor: RowCursor?
        private var isOver = false

        init(home: ContextHome, request: FetchRequest<ManagedObject>) {
            self.home = home
            self.request = request
        }

        /// Returns the next portion, or nil after the last one.
        public mutating func next() async throws -> [ObjectSnapshot]? {
            guard !isOver else { return nil }
            do {
                let cursor =
                    if let cursor { cursor } else {
                        try await RowCursor.open(home.query(request), at: home.store.pinInTurn())
                    }
                self.cursor = cursor
                let rows = try await cursor.next(request.portion)
                if rows.isEmpty { end() }
                return rows.isEmpty ? nil : rows.map { $0.snapshot(home.store.readable) }
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

    /// Returns an independent iteration, at the generation that is the newest when it begins.
    public func makeAsyncIterator() -> Iterator { Iterator(home: home, request: request) }
}

extension FetchRequest {
    var portion: Int { fetchBatchSize > 0 ? fetchBatchSize : 200 }
}
