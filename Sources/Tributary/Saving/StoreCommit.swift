import TributaryChanges
import TributaryModel
import TributaryStore

/// Commits one transaction of a context, announces it, and moves the context to it when it shows a generation.
struct StoreCommit {
    let context: ManagedObjectContext

    func run(
        _ block: @escaping (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: @escaping (CommittedTransaction) -> Void
    ) throws {
        if context.isMain {
            try runInMain(block, adopting: adopt)
        } else if let generation = context.generation {
            try runPinned(at: generation, block, adopting: adopt)
        } else {
            adopt(try commit(block))
        }
    }

    func commit(
        _ block: (WriteTransaction) throws -> CommittedTransaction,
        committed: (WriterTurn) -> Void = { _ in }
    ) throws -> CommittedTransaction {
        try context.store.write(block) { transaction, turn in
            context.home.pipeline.announce(transaction, turn)
            committed(turn)
        }
    }

    /// The view context's save moves it to the generation with the save.
    func runInMain(
        _ block: @escaping (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: @escaping (CommittedTransaction) -> Void
    ) throws {
        // The view context never leaves the main actor, where this runs, so nothing crosses here.
        nonisolated(unsafe) let block = block
        nonisolated(unsafe) let adopt = adopt
        let pipeline = context.home.pipeline
        try context.home.viewContextUse.holding {
            try MainActor.assumeIsolated { _ = try pipeline.commitMain(block, adopting: adopt) }
        }
    }

    /// Commits on the newest state; the context then moves to its own transaction and merges all earlier ones.
    private func runPinned(
        at old: Generation,
        _ block: (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: (CommittedTransaction) -> Void
    ) throws {
        var pinned: Generation?
        let committed = try commit(block) { pinned = try? $0.move(from: old, connections: 1) }
        // Observers of the save see the rows after it; a hook may save again.
        context.generation = pinned
        context.reader.mergedThrough = old.number
        adopt(committed)
        // When the generation is lost the save stands, and the context reads the newest state from now on.
        guard let pinned else { return GenerationMove(context: context).mergeNewest() }
        let changes = try pinned.read { try $0.allChanges(after: old.number, through: committed.number - 1) }
        context.reader.mergedThrough = max(context.reader.mergedThrough, pinned.number)
        MergeOperation(context: context).merge(changes, movingTo: pinned)
    }
}
