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

final class UpdateSubscription: Sendable {
    private struct State {
        var pending: StoreUpdate?
        var waiting: [(number: UInt64, continuation: CheckedContinuation<StoreUpdate?, Never>)] = []
        var nextNumber: UInt64 = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let leave: @Sendable () -> Void

    /// Creates a subscription; `leave` is called when nobody can read it any more.
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

    /// Ends the updates; a pending one is still delivered.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: nil) }
    }

    /// Returns the next update; nil at the end or when the task is cancelled.
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
