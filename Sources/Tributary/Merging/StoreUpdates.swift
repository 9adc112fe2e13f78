/// The updates of a container's main context, for one subscriber.
///
/// ```swift
/// for await update in container.storeUpdates() {
///     print(update.changes.inserted.count, "new objects")
/// }
/// ```
/// A slow subscriber gets the updates that it has missed as one, at worst as "everything has changed"; none is lost.
/// The sequence ends when the container is closed.
public struct StoreUpdates: AsyncSequence, Sendable {
    /// The type of an element.
    public typealias Element = StoreUpdate
    /// The sequence throws no error.
    public typealias Failure = Never

    let subscription: UpdateSubscription

    /// An iterator over the updates.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: UpdateSubscription

        /// Returns the next update, in which missed ones are coalesced.
        ///
        /// It returns nil when the container is closed or the task is cancelled.
        public mutating func next() async -> StoreUpdate? { await subscription.next() }
    }

    /// An iterator; all iterators of one sequence share its updates.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }
}
