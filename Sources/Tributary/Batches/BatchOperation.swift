import TributaryChanges
import TributaryModel
import TributaryStore

struct BatchOperation {
    let context: ManagedObjectContext

    func query(_ name: String, _ predicate: ObjectPredicate?, _ includesSubentities: Bool) throws -> FetchQuery {
        guard let descriptor = context.schema.descriptor(named: name) else { throw BatchError.unknownEntity(name) }
        return FetchQuery(
            entity: descriptor.entity,
            predicate: predicate.map(context.store.resolvingNow),
            includesSubentities: includesSubentities
        )
    }

    private func options(_ kind: BatchResultKind) -> BatchTerms {
        let collision: BatchTerms.Collision =
            switch context.mergePolicy {
            case .objectTrump: .update
            case .overwrite: .replace
            case .storeTrump, .rollback: .skip
            default: .refuse
            }
        return BatchTerms(
            author: context.author,
            contextName: context.name,
            collision: collision,
            listsIDs: kind == .objectIDs,
            deriving: BatchDerivation(context.home)
        )
    }

    private struct NothingWritten: Error {
        var outcome: BatchOutcome
    }

    func run(
        _ kind: BatchResultKind,
        refreshes: Bool,
        _ block: (BatchWriter, BatchTerms) throws -> BatchOutcome
    ) throws -> BatchResult {
        context.checkConfinement()
        guard !context.isClosed else { throw ContextError.closed }
        guard context.source.isCommitted else {
            throw ContextError.store(reason: "a batch is a transaction of its own, no part of one of several saves")
        }
        let terms = options(kind)
        var outcome = BatchOutcome(committed: nil, count: 0, ids: [])
        do {
            try withoutActuallyEscaping(block) { block in
                let committing = { (transaction: WriteTransaction) throws -> CommittedTransaction in
                    outcome = try block(transaction.batches, terms)
                    guard let committed = outcome.committed else { throw NothingWritten(outcome: outcome) }
                    return committed
                }
                let committed = try commit(committing)
                context.lastSaveToken = HistoryToken(store: committed.history ?? "", number: committed.number)
                // The view context shows a generation with the batch from now on.
                if context.isMain || refreshes { MergeOperation(context: context).merge(committed.changes) }
            }
        } catch let nothing as NothingWritten {
            outcome = nothing.outcome
        } catch let error as StoreError {
            throw ContextError(error)
        }
        return BatchResult(
            kind: kind,
            count: outcome.count,
            objectIDs: outcome.ids,
            token: outcome.committed.map { HistoryToken(store: $0.history ?? "", number: $0.number) }
        )
    }

    private func commit(
        _ block: @escaping (WriteTransaction) throws -> CommittedTransaction
    ) throws -> CommittedTransaction {
        let store = StoreCommit(context: context)
        guard context.isMain else { return try store.commit(block) }
        var result: CommittedTransaction?
        try store.runInMain(block) { result = $0 }
        guard let result else { throw ContextError.closed }
        return result
    }
}
