import Synchronization
public import TributaryChanges

/// The updates of a container's main context, for one subscriber.
///
/// ```swift
/// for await update in container.storeUpdates() {
///     print(update.changes.inserted.count, "new objects")
/// }
/// ```
/// A slow subscriber gets missed updates combined, at worst as "everything has changed"; no update is lost. The
/// sequence ends when the container is closed.
public struct StoreUpdates: AsyncSequence, Sendable {
    /// The type of an element.
    public typealias Element = StoreUpdate
    /// The sequence throws no error.
    public typealias Failure = Never

    let subscription: UpdateSubscription

    /// An iterator over the updates.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: UpdateSubscription

        /// Returns the next update, which includes missed updates.
        ///
        /// It returns nil when the container is closed or the task is cancelled.
        public mutating func next() async -> StoreUpdate? { await subscription.next() }
    }

    /// An iterator; all iterators of a sequence share its updates.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }
}

/// The coalesced changes of the main context since its previous update.
public struct StoreUpdate: Sendable, Hashable {
    /// The token of the generation that the main context shows from now on.
    public let token: HistoryToken
    /// The coalesced changes.
    public let changes: ObjectChanges

    /// Creates an update from its token and changes.
    public init(token: HistoryToken, changes: ObjectChanges) {
        self.token = token
        self.changes = changes
    }

    func followed(by later: StoreUpdate) -> StoreUpdate {
        var changes = changes
        changes.formUnion(later.changes)
        return StoreUpdate(token: later.token, changes: changes)
    }
}

final class UpdateBroadcast: Sendable {
    private struct Reader {
        weak var subscription: UpdateSubscription?
    }

    private struct State {
        var next: UInt64 = 0
        var readers: [UInt64: Reader] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    func subscribe() -> StoreUpdates {
        state.withLock { state in
            state.next += 1
            let number = state.next
            let subscription = UpdateSubscription { [weak self] in
                _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
            }
            if state.isFinished {
                subscription.finish()
            } else {
                state.readers[number] = Reader(subscription: subscription)
            }
            return StoreUpdates(subscription: subscription)
        }
    }

    func send(_ update: StoreUpdate) {
        for subscription in subscriptions() { subscription.send(update) }
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        for subscription in subscriptions() { subscription.finish() }
    }

    /// Returns the array out of the lock, because releasing the last reference to a subscription needs the lock.
    private func subscriptions() -> [UpdateSubscription] {
        state.withLock { $0.readers.values.compactMap(\.subscription) }
    }
}

final class UpdateSubscription: Sendable {
    private struct State {
        var pending: StoreUpdate?
        var waiting: [(number: UInt64, continuation: CheckedContinuation<StoreUpdate?, Never>)] = []
        var nextNumber: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let leave: @Sendable () -> Void

    init(leave: @escaping @Sendable () -> Void) {
        self.leave = leave
    }

    deinit {
        leave()
    }

    func send(_ update: StoreUpdate) {
        let waiting = state.withLock { state -> CheckedContinuation<StoreUpdate?, Never>? in
            if state.waiting.isEmpty {
                state.pending = state.pending?.followed(by: update) ?? update
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        waiting?.resume(returning: update)
    }

    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: nil) }
    }

    func next() async -> StoreUpdate? {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> StoreUpdate?? in
                    if let pending = state.pending {
                        state.pending = nil
                        return .some(pending)
                    }
                    if state.isFinished || Task.isCancelled { return .some(nil) }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<StoreUpdate?, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiting.remove(at: index).continuation
            }
            waiting?.resume(returning: nil)
        }
    }
}
