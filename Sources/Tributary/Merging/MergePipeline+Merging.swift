import TributaryChanges
import TributaryStore

extension MergePipeline {
    package func flush() async {
        await request {
            await postRemoteCommitsNow()
            await mergeWhenDue()
        }
    }

    package func flush(through number: Int64) async {
        if generation.number < number { await flush() }
    }

    /// False when the merge failed; `isAsked` is false for the timer, which the main context may have switched off.
    @discardableResult
    func mergeWhenDue(isAsked: Bool = true) async -> Bool {
        guard !pendingNotifications.isEmpty else { return true }
        do {
            try await runMerge(isAsked: isAsked)
            return true
        } catch {
            let text = "\(error)"
            update { $0.status.failure = text }
            return false
        }
    }

    private func runMerge(isAsked: Bool) async throws {
        try await activities.run("Merging") {
            // Waiting here, off the main actor, shortens the wait on the main actor.
            await store.waitForWriteLock()
            try await merge(isAsked: isAsked)
        }
    }

    @MainActor
    private func merge(isAsked: Bool) throws {
        // Others may have merged while the timer's call was on its way, so that a new quiet period has begun.
        guard isAsked || pendingNotifications.isDue else { return }
        let began = ContinuousClock.now
        // A save of the main context may have merged everything meanwhile; its later changes may still be unsaved.
        main?.isCollecting = true
        defer { main?.isCollecting = false }
        if !pendingNotifications.isEmpty { main?.merge(try collectStep()) }
        saveMainContext()
        postUpdate()
        let now = wallTime
        update { state in
            state.status.lastMerge = now
            state.status.failure = nil
            state.status.durations.add(.now - began)
        }
    }

    @MainActor
    func moveGenerationOfEmptyMain() throws -> Generation {
        guard !pendingNotifications.isEmpty else { return generation }
        let step = try collectStep()
        postUpdateUnlessCollecting()
        return step.generation
    }

    @MainActor
    private func saveMainContext() {
        guard options.saves, let main, main.needsSave else { return }
        do {
            try main.context.save()
            main.editsOfFailedSave = nil
        } catch {
            main.editsOfFailedSave = main.context.pending.editCount
            failures.send(MainSaveFailure(error: error))
        }
    }

    @MainActor
    private func postUpdateUnlessCollecting() {
        if main?.isCollecting == false { postUpdate() }
    }

    @MainActor
    private func postUpdate() {
        guard let main, !main.collected.isEmpty else { return }
        // A store that was restored or copied gets another history with its first write.
        let name = (try? generation.read { try $0.history.name() }) ?? main.storeName
        let token = HistoryToken(store: name, number: generation.number)
        let update = StoreUpdate(token: token, changes: main.collected)
        main.collected = ObjectChanges(limit: options.pendingLimit)
        updates.send(update)
    }

    /// Called right after the commit, while the write lock is held.
    func announce(_ committed: CommittedTransaction, _ lock: HeldWriteLock) {
        recordCommits(first: committed.number, last: committed.number, committed.changes, lock)
        pendingNotifications.post(committed.changes)
        commits.raise()
    }

    private func recordCommits(first: Int64, last: Int64, _ changes: ObjectChanges, _ lock: HeldWriteLock) {
        postLocalCommits(lock, first: first, last: last)
        rowCache.recordCommits(first: first, last: last, changes: changes)
    }

    /// Commits the save of the main context, and moves it to a generation that contains the save.
    ///
    /// `adopt` marks the saved objects as clean right after the commit. A save that is part of a merge posts no update.
    @MainActor
    func commitMain(
        _ block: (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: (CommittedTransaction) -> Void
    ) throws -> CommittedTransaction {
        var step: Step?
        let committed = try store.write(block) { committed, lock in
            recordCommits(first: committed.number, last: committed.number, committed.changes, lock)
            do {
                step = try moveGeneration(lock)
            } catch {
                // The save is committed. The merge that this change notification requests shows it, and reports the
                // error if it persists.
                pendingNotifications.post(committed.changes)
            }
        }
        if let step { main?.context.generation = step.generation }
        adopt(committed)
        commits.raise()
        guard let step else { return committed }
        main?.collected.formUnion(step.changes)
        main?.collected.formUnion(committed.changes)
        main?.merge(step)
        postUpdateUnlessCollecting()
        return committed
    }

    /// The block runs under the write lock, at the priority of the waiting saves, and after the begun requests.
    func importTransactions<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        await waitForRequests()
        return try await activities.run("Importing") {
            try await store.writeAsync(block) { [self] result, lock in
                guard let first = result.1.first?.number, let last = result.1.last?.number else { return }
                let changes = CommittedTransaction.changes(of: result.1)
                recordCommits(first: first, last: last, changes, lock)
                pendingNotifications.post(changes)
            }.0
        }
    }

    struct Step {
        let generation: Generation
        let changes: ObjectChanges
    }

    @MainActor
    private func collectStep() throws -> Step {
        let step = try store.holdingWriteLock { try moveGeneration($0) }
        main?.collected.formUnion(step.changes)
        return step
    }

    private func moveGeneration(_ lock: HeldWriteLock) throws -> Step {
        let generation = try lock.move(from: generation, connections: MergePipeline.connections)
        update { $0.generation = generation }
        // Others may have committed until the generation was pinned; the changes that it shows have to be merged.
        try postRemoteCommits(lock, through: generation.number)
        return Step(generation: generation, changes: pendingNotifications.drain() ?? ObjectChanges())
    }

    @MainActor
    func moveToNewest() throws -> ObjectChanges {
        let step = try collectStep()
        main?.context.generation = step.generation
        main?.merge(step)
        postUpdateUnlessCollecting()
        return step.changes
    }
}

/// Unknown transaction numbers between this process's own numbers belong to other processes.
///
/// They are read under the write lock, so that this process commits no transaction meanwhile.
extension MergePipeline {
    func watchRemote() {
        // No other process can open a store in memory.
        guard store.configuration.memory == nil else { return }
        let watch = RemoteWatch(store) { [weak self] newest in
            guard let self, newest > self.newestPosted else { return }
            try? self.store.holdingWriteLock { try self.postRemoteCommits($0) }
        }
        update { $0.remoteWatch = watch }
    }

    func stopWatchingRemote() {
        let watch = update { state in
            defer { state.remoteWatch = nil }
            return state.remoteWatch
        }
        watch?.stop()
    }

    private var newestPosted: Int64 { update { $0.newestPosted } }

    func postRemoteCommits(_ lock: HeldWriteLock) throws {
        try postRemoteCommits(lock, through: try lock.newestTransaction())
    }

    /// Without a readable history it posts "everything", because the commit is durable and no change may be missed.
    func postLocalCommits(_ lock: HeldWriteLock, first: Int64, last: Int64) {
        do {
            try postRemoteCommits(lock, through: first - 1)
        } catch {
            var everything = ObjectChanges(limit: 1)
            everything.collapseEverything()
            pendingNotifications.post(everything)
        }
        update { $0.newestPosted = max($0.newestPosted, last) }
    }

    func postRemoteCommits(_ lock: HeldWriteLock, through newest: Int64) throws {
        let known = newestPosted
        guard newest > known else { return }
        let changes = try lock.changes(after: known, through: newest, limit: options.pendingLimit)
        rowCache.recordCommits(first: known + 1, last: newest, changes: changes)
        pendingNotifications.post(changes)
        update { $0.newestPosted = newest }
    }

    package func postRemoteCommitsNow() async {
        guard let newest = try? store.read({ try $0.history.newestTransaction() }), newest > newestPosted else {
            return
        }
        await store.waitForWriteLock()
        try? store.holdingWriteLock { try postRemoteCommits($0) }
    }

    package func close() async throws {
        await pending.waitForNone()
        stopWatchingRemote()
        stop()
        var failure: (any Error)?
        do {
            try await runMerge(isAsked: true)
        } catch {
            failure = error
        }
        await MainActor.run { if let context = main?.context { end(context) } }
        try store.close()
        if let failure { throw failure }
    }

    @MainActor
    func end(_ context: ManagedObjectContext, withChildren: Bool = false) {
        updates.finish()
        failures.finish()
        activities.finish()
        context.close(withChildren: withChildren)
    }
}
