import TributaryChanges
import TributaryStore

extension MergePipeline {
    /// Merges what has been announced now; returns when the main context shows it.
    package func flush() async {
        await postRemoteCommitsNow()
        guard !mailbox.isEmpty else { return }
        _ = mailbox.flush()
        await mergeWhenDue()
    }

    /// Makes sure that the main context shows the transaction.
    package func flush(through number: Int64) async {
        if generation.number < number { await flush() }
    }

    /// The last merge before the store is closed: whatever is announced, and the main context's own changes.
    func finalMerge() async throws {
        try await activities.run("Merging") {
            await store.waitForTurn()
            try await merge()
        }
    }

    /// Merges what is announced.
    ///
    /// - Parameter isAsked: false when the timer calls, which the main context may have switched off.
    /// - Returns: Whether it succeeded.
    @discardableResult
    func mergeWhenDue(isAsked: Bool = true) async -> Bool {
        guard !mailbox.isEmpty else { return true }
        do {
            try await activities.run("Merging") {
                // Waiting here, off the main actor, leaves it little to wait for there.
                await store.waitForTurn()
                try await merge(isAsked: isAsked)
            }
            return true
        } catch {
            let text = "\(error)"
            update { $0.status.failure = text }
            return false
        }
    }

    /// One merge: move, merge into the context, save the context's own changes, one update.
    @MainActor
    private func merge(isAsked: Bool = true) throws {
        // While the timer's call was on its way here, others may have merged, and a new quiet period have begun.
        guard isAsked || mailbox.isDue else { return }
        // A save of the main context may have merged everything meanwhile; then its own changes may still be unsaved.
        main.isCollecting = true
        defer { main.isCollecting = false }
        if !mailbox.isEmpty {
            let step = try store.inTurn { try moveGeneration($0) }
            main.collected.formUnion(step.changes)
            main.context?.merge(step.changes, movingTo: step.generation)
        }
        saveMainContext()
        postUpdate()
        let now = wallSeconds
        update { state in
            state.status.lastMerge = now
            state.status.failure = nil
        }
    }

    /// Moves the main context, which has no objects and no changes, to what is newest.
    @MainActor
    func moveGenerationOfEmptyMain() throws -> Generation {
        guard !mailbox.isEmpty else { return generation }
        let step = try store.inTurn { try moveGeneration($0) }
        main.collected.formUnion(step.changes)
        if !main.isCollecting { postUpdate() }
        return step.generation
    }

    /// Saves the main context if it has changes of its own that have not failed to be saved before.
    @MainActor
    private func saveMainContext() {
        guard options.saves, let context = main.context, context.hasChanges,
            main.editsOfFailedSave != context.editCount
        else { return }
        do {
            try context.save()
            main.editsOfFailedSave = nil
        } catch {
            main.editsOfFailedSave = context.editCount
            failures.send(MainSaveFailure(error: error))
        }
    }

    /// Posts what has been collected as one update, if there is anything.
    @MainActor
    func postUpdate() {
        guard !main.collected.isEmpty else { return }
        let token = HistoryToken(store: main.storeName, number: generation.number)
        let update = StoreUpdate(token: token, changes: main.collected)
        main.collected = ObjectChanges(limit: options.mailboxLimit)
        updates.send(update)
    }
}
