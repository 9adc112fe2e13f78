import TributaryChanges
import TributaryStore

extension MergePipeline {
    /// Announces a local transaction, right after its commit and while the write lock is held.
    func announce(_ committed: CommittedTransaction, _ turn: WriterTurn) {
        recordCommits(first: committed.number, last: committed.number, committed.changes, turn)
        pendingNotifications.post(committed.changes)
        commits.raise()
    }

    private func recordCommits(first: Int64, last: Int64, _ changes: ObjectChanges, _ turn: WriterTurn) {
        postLocalCommits(turn, first: first, last: last)
        rowCache.recordCommits(first: first, last: last, changes: changes)
    }

    /// Commits the save of the main context, which then shows it.
    ///
    /// After the commit, in the same call: `adopt` lets the context mark its saved objects as clean, the main context
    /// moves to a generation that contains the save, merges earlier commits of others, and an update is posted (unless
    /// this save is itself part of a merge, which posts one for both).
    @MainActor
    func commitMain(
        _ block: (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: (CommittedTransaction) -> Void
    ) throws -> CommittedTransaction {
        var step: Step?
        let committed = try store.write(block) { committed, turn in
            recordCommits(first: committed.number, last: committed.number, committed.changes, turn)
            do {
                step = try moveGeneration(turn)
            } catch {
                // The save is committed. The merge that this change notification requests shows it, and reports the
                // error if it persists.
                pendingNotifications.post(committed.changes)
            }
        }
        if let step { main.context?.context.generation = step.generation }
        adopt(committed)
        commits.raise()
        guard let step else { return committed }
        main.collected.formUnion(step.changes)
        main.collected.formUnion(committed.changes)
        main.context?.merge(step.changes, movingTo: step.generation)
        if !main.isCollecting { postUpdate() }
        return committed
    }

    /// Applies changes that others have written, in one SQLite transaction, and announces them.
    ///
    /// The block runs under the write lock, at the priority of the saves that wait for it, and after the requests that have
    /// begun.
    func importTransactions<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        await waitForRequests()
        return try await activities.run("Importing") {
            try await store.writeInTurn(block) { [self] result, turn in
                guard let first = result.1.first?.number, let last = result.1.last?.number else { return }
                let changes = CommittedTransaction.changes(of: result.1)
                recordCommits(first: first, last: last, changes, turn)
                pendingNotifications.post(changes)
            }.0
        }
    }

    struct Step {
        let generation: Generation
        let changes: ObjectChanges
    }

    /// Moves the main context's generation and removes the changes that it contains from the pending notifications.
    func moveGeneration(_ turn: WriterTurn) throws -> Step {
        let generation = try turn.move(from: generation, connections: MergePipeline.connections)
        update { $0.generation = generation }
        // Others may have committed until the generation was pinned; the changes that it shows have to be merged.
        try postRemoteCommits(turn, through: generation.number)
        return Step(generation: generation, changes: pendingNotifications.drain() ?? ObjectChanges())
    }
}
