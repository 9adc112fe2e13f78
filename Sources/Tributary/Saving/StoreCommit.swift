import TributaryChanges
import TributaryModel
import TributaryStore

/// Commits one transaction of a context, announces it, and moves the context to it when it shows a generation.
struct StoreCommit {
    let context: ManagedObjectContext

    /// Commits a transaction.
    ///
    /// - Parameters:
    ///   - body: makes the transaction; nothing is committed when it throws.
    ///   - adopt: called after the commit, before the context merges earlier changes.
    /// - Throws: the error that `body` throws, or `StoreError`.
    func run(
        _ body: @escaping (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: @escaping (CommittedTransaction) -> Void
    ) throws {
        if context.isMain {
            try runInMain(body, adopting: adopt)
        } else if let generation = context.generation {
            try runPinned(at: generation, body, adopting: adopt)
        } else {
            adopt(try context.home.pipeline.commit(body))
        }
    }

    /// The view context's save moves it to the generation with the save.
    func runInMain(
        _ body: @escaping (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: @escaping (CommittedTransaction) -> Void
    ) throws {
        // The view context never leaves the main actor, where this runs, so nothing crosses here.
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) let adopt = adopt
        let pipeline = context.home.pipeline
        try context.home.viewContextUse.holding {
            try MainActor.assumeIsolated { _ = try pipeline.commitMain(body, adopting: adopt) }
        }
    }

    /// Commits a transaction of a pinned context on the newest state.
    ///
    /// The context then moves to its own transaction and merges all earlier ones.
    private func runPinned(
        at old: Generation,
        _ body: (WriteTransaction) throws -> CommittedTransaction,
        adopting adopt: (CommittedTransaction) -> Void
    ) throws {
        let (committed, pinned) = try context.home.pipeline.commit(movingFrom: old, body)
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
