struct ContextQueue {
    let name: String?
    let isMain: Bool
    /// The queue of a background context; without one, nothing can be checked.
    let executor: ContextExecutor?

    #if DEBUG
        func check(_ entry: @autoclosure () -> String) {
            if isMain {
                if !QueueIdentity.isSurelyMain { stopUnlessMain(entry()) }
            } else if let executor, !executor.isCurrent {
                preconditionFailure(
                    "\(entry()) was used off the queue of the context '\(name ?? "background")', on "
                        + "\(QueueIdentity.description); use its perform, or pass the objectID or a snapshot() instead"
                )
            }
        }

        private func stopUnlessMain(_ entry: String) {
            QueueIdentity.stopUnlessMain(
                "\(entry) was used off the main actor, on \(QueueIdentity.description); it belongs to the view context. "
                    + "Use it in `await MainActor.run { … }`, or pass the objectID or a snapshot() instead."
            )
        }
    #endif
}
