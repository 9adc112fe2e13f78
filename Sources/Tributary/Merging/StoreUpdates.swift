/// The updates of a container's main context, for one subscriber.
///
/// ```swift
/// for await update in container.storeUpdates() {
///     print(update.changes.inserted.count, "new objects")
/// }
/// ```
/// A subscriber that is slow gets the updates that it has missed as one, at worst as "everything has changed"; none is
/// lost. The sequence ends when the container is closed.
public struct StoreUpdates: AsyncSequence, Sendable {
    /// What is handed out.
    public typealias Element = StoreUpdate
    /// It does not fail.
    public typealias Failure = Never

    let subscription: UpdateSubscription

    /// Hands out one update after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: UpdateSubscription

        /// The next update, or those since the last one as one; nil when the container is closed or the task cancelled.
        public mutating func next() async -> StoreUpdate? { await subscription.next() }
    }

    /// An iterator; all iterators of one sequence share its updates.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }
}
