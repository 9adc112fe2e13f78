import TributaryChanges
import TributaryStore

extension MergePipeline {
    /// Merges the announced changes now, and returns when the main context shows them.
    package func flush() async {
        await request {
            await postRemoteCommitsNow()
            await mergeWhenDue()
        }
    }

    package func flush(through number: Int64) async {
        if generation.number < number { await flush() }
    }

    /// Merges everything announced and the main context's own changes, before the store is closed.
    func finalMerge() async throws {
        try await activities.run("Merging") {
            await store.waitForTurn()
            try await merge()
        }
    }

    /// Merges the announced changes; false when that failed.
    ///
    /// `isAsked` is false when the timer calls, which the main context may have switched off.
    @discardableResult
    func mergeWhenDue(isAsked: Bool = true) async -> Bool {
        guard !pendingNotifications.isEmpty else { return true }
        do {
            try await activities.run("Merging") {
                // Waiting here, off the main actor, shortens the wait on the main actor.
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

    /// Performs one merge: moves, merges into the context, saves the context's own changes, posts one update.
    @MainActor
    private func merge(isAsked: Bool = true) throws {
        // Others may have merged while the timer's call was on its way, so that a new quiet period has begun.
        guard isAsked || pendingNotifications.isDue else { return }
        // A save of the main context may have merged everything meanwhile; its later changes may still be unsaved.
        main.isCollecting = true
        defer { main.isCollecting = false }
        if !pendingNotifications.isEmpty {
            let step = try store.inTurn { try moveGeneration($0) }
            main.collected.formUnion(step.changes)
            main.context?.merge(step.changes, movingTo: step.generation)
        }
        saveMainContext()
        postUpdate()
        let now = wallTime
        update { state in
            state.status.lastMerge = now
            state.status.failure = nil
        }
    }

    /// Moves the main context, which has no objects and no changes, to the newest generation.
    @MainActor
    func moveGenerationOfEmptyMain() throws -> Generation {
        guard !pendingNotifications.isEmpty else { return generation }
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
            try context.context.save()
            main.editsOfFailedSave = nil
        } catch {
            main.editsOfFailedSave = context.editCount
            failures.send(MainSaveFailure(error: error))
        }
    }

    /// Posts the collected changes as one update, unless there are none.
    @MainActor
    func postUpdate() {
        guard !main.collected.isEmpty else { return }
        // A store that was set back, or a copy, has another history once it is written to.
        let name = (try? generation.read { try $0.history.name() }) ?? main.storeName
        let token = HistoryToken(store: name, number: generation.number)
        let update = StoreUpdate(token: token, changes: main.collected)
        main.collected = ObjectChanges(limit: options.pendingLimit)
        updates.send(update)
    }
}
