import Dispatch
import TributaryChanges
package import TributaryStore

extension MergePipeline {
    /// Commits the save of a background context and announces it to the main context.
    ///
    /// `block` runs under the write lock, inside the SQLite transaction; it checks for conflicts and calls
    /// `WriteTransaction.commit`. Everything is rolled back when it throws.
    package func commit(
        _ block: (WriteTransaction) throws -> CommittedTransaction
    ) throws -> CommittedTransaction {
        defer { commits.send(()) }
        return try store.write(block) { committed, turn in
            postLocalCommits(turn, first: committed.number, last: committed.number)
            rowCache.recordCommits(first: committed.number, last: committed.number, changes: committed.changes)
            pendingNotifications.post(committed.changes)
        }
    }

    /// Commits the save of a pinned background context and moves its generation to the save.
    ///
    /// It returns nil when the move did not succeed.
    func commit(
        movingFrom old: Generation,
        _ block: (WriteTransaction) throws -> CommittedTransaction
    ) throws -> (CommittedTransaction, Generation?) {
        defer { commits.send(()) }
        var pinned: Generation?
        let committed = try store.write(block) { committed, turn in
            postLocalCommits(turn, first: committed.number, last: committed.number)
            rowCache.recordCommits(first: committed.number, last: committed.number, changes: committed.changes)
            pendingNotifications.post(committed.changes)
            pinned = try? turn.move(from: old, connections: 1)
        }
        return (committed, pinned)
    }

    /// Commits the save of the main context, which then shows it.
    ///
    /// After the commit, in the same call: `adopt` lets the context mark its saved objects as clean, the main context
    /// moves to a generation that contains the save, merges earlier commits of others, and an update is posted (unless
    /// this save is itself part of a merge, which posts one for both).
    @MainActor
    package func commitMain(
        _ block: (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: (CommittedTransaction) -> Void
    ) throws -> CommittedTransaction {
        var step: Step?
        let committed = try store.write(block) { committed, turn in
            postLocalCommits(turn, first: committed.number, last: committed.number)
            rowCache.recordCommits(first: committed.number, last: committed.number, changes: committed.changes)
            do {
                step = try moveGeneration(turn)
            } catch {
                // The save is committed. The merge that this change notification requests shows it, and reports the
                // error if it persists.
                pendingNotifications.post(committed.changes)
            }
        }
        if let step { main.context?.setGeneration(step.generation) }
        adopt(committed)
        commits.send(())
        guard let step else { return committed }
        main.collected.formUnion(step.changes)
        main.collected.formUnion(committed.changes)
        main.context?.merge(step.changes, movingTo: step.generation)
        if !main.isCollecting { postUpdate() }
        return committed
    }

    /// Applies changes that others have written, in one SQLite transaction, and announces them.
    ///
    /// The block runs under the write lock, on a thread of low priority: reads and the main context come first when
    /// there are not enough processors for all.
    package func importing<T: Sendable>(
        _ block: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .background).async { [self] in
                continuation.resume(with: Result { try writeImported(block) })
            }
        }
    }

    private func writeImported<T>(_ block: (WriteTransaction) throws -> (T, [CommittedTransaction])) throws -> T {
        try store.write(block) { result, turn in
            guard let first = result.1.first, let last = result.1.last else { return }
            postLocalCommits(turn, first: first.number, last: last.number)
            let changes = CommittedTransaction.changes(of: result.1)
            rowCache.recordCommits(first: first.number, last: last.number, changes: changes)
            pendingNotifications.post(changes)
        }.0
    }

    /// A new generation, and the changes to merge into it.
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
