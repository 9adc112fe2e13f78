import Synchronization

final class MainActorCheck: Sendable {
    private let isPending = Mutex(false)

    /// Whether the main actor has run since the last ``start()``.
    var isResponsive: Bool { isPending.withLock { !$0 } }

    func start() {
        let isNew = isPending.withLock { pending in
            defer { pending = true }
            return !pending
        }
        guard isNew else { return }
        // The task is unstructured: the caller must not wait for a main actor that hangs.
        Task { @MainActor in isPending.withLock { $0 = false } }
    }
}
