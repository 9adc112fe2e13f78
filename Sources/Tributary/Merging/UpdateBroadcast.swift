import Synchronization

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

    /// The array leaves the lock, because the last reference to a subscription may be the one in it.
    private func subscriptions() -> [UpdateSubscription] {
        state.withLock { $0.readers.values.compactMap(\.subscription) }
    }
}
