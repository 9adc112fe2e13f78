import Synchronization

/// A ping to the main actor.
final class MainAnswers: Sendable {
    private let isPending = Mutex(false)

    /// Whether the last question has been answered.
    var hasAnswered: Bool { isPending.withLock { !$0 } }

    /// Asks, unless a question is still open.
    func ask() {
        let isNew = isPending.withLock { pending in
            defer { pending = true }
            return !pending
        }
        guard isNew else { return }
        // Not structured: the one who asks must not wait for a main actor that is stuck.
        Task { @MainActor in isPending.withLock { $0 = false } }
    }
}
