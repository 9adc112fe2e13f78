import Dispatch
import TributaryChanges
package import TributaryStore

extension MergePipeline {
    /// Commits the save of a background context and announces it to the main context.
    ///
    /// `body` runs under the write lock, inside the SQLite transaction; it checks for conflicts and calls
    /// `WriteTransaction.commit`. Everything is rolled back when it throws.
    package func commit(
        _ body: (WriteTransaction) throws -> CommittedTransaction
    ) throws -> CommittedTransaction {
        defer { commits.send(()) }
        return try store.write(body) { committed, turn in
            postLocalCommits(turn, first: committed.number, last: committed.number)
            rowCache.recordCommits(first: committed.number, last: committed.number, changes: committed.changes)
            mailbox.post(committed.changes)
        }
    }

    /// Commits the save of a pinned background context and moves its generation to the save; nil when that did not
    /// succeed.
    func commit(
        movingFrom old: Generation,
        _ body: (WriteTransaction) throws -> CommittedTransaction
    ) throws -> (CommittedTransaction, Generation?) {
        defer { commits.send(()) }
        var pinned: Generation?
        let committed = try store.write(body) { committed, turn in
            postLocalCommits(turn, first: committed.number, last: committed.number)
            rowCache.recordCommits(first: committed.number, last: committed.number, changes: committed.changes)
            mailbox.post(committed.changes)
            pinned = try? turn.move(from: old, connections: 1)
        }
        return (committed, pinned)
    }

    /// Commits the save of the main context, which then shows it.
    ///
    /// After the commit, in the same call: `adopt` lets the context take its saved objects for clean, the main context
    /// moves to a generation that contains the save, merges whatever others have committed before it, and an update
    /// is posted (unless this save is itself part of a merge, which posts one for both).
    @MainActor
    package func commitMain(
        _ body: (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: (CommittedTransaction) -> Void
    ) throws -> CommittedTransaction {
        var step: Step?
        let committed = try store.write(body) { committed, turn in
            postLocalCommits(turn, first: committed.number, last: committed.number)
            rowCache.recordCommits(first: committed.number, last: committed.number, changes: committed.changes)
            do {
                step = try moveGeneration(turn)
            } catch {
                // The save stands. The merge that this notice asks for shows it, and reports the error if it stays.
                mailbox.post(committed.changes)
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

    /// Applies what others have written, in one SQLite transaction, and announces it.
    ///
    /// The body runs under the write lock, on a thread of low priority: reads and the main context come first when there
    /// are not enough processors for all.
    package func importing<T: Sendable>(
        _ body: @escaping @Sendable (WriteTransaction) throws -> (T, [CommittedTransaction])
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .background).async { [self] in
                continuation.resume(with: Result { try writeImported(body) })
            }
        }
    }

    private func writeImported<T>(_ body: (WriteTransaction) throws -> (T, [CommittedTransaction])) throws -> T {
        try store.write(body) { result, turn in
            guard let first = result.1.first, let last = result.1.last else { return }
            postLocalCommits(turn, first: first.number, last: last.number)
            let changes = CommittedTransaction.changes(of: result.1)
            rowCache.recordCommits(first: first.number, last: last.number, changes: changes)
            mailbox.post(changes)
        }.0
    }

    /// A new generation, and what to merge to be in step with it.
    struct Step {
        let generation: Generation
        let changes: ObjectChanges
    }

    /// Moves the main context's generation and takes out of the mailbox what it contains.
    func moveGeneration(_ turn: WriterTurn) throws -> Step {
        let generation = try turn.move(from: generation, connections: MergePipeline.connections)
        update { $0.generation = generation }
        // Others may have committed until the generation was pinned; what it shows has to be merged.
        try postRemoteCommits(turn, through: generation.number)
        return Step(generation: generation, changes: mailbox.drain() ?? ObjectChanges())
    }
}
