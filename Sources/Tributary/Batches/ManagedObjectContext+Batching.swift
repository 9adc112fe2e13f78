public import TributaryChanges
import TributaryModel
import TributaryStore

/// Batches: inserts, updates and deletions in the store itself, one transaction each, all or nothing.
///
/// So none can be a part of ``performInOneTransaction(_:)``, in which they throw.
///
/// They are checked against the store, not against the context's unsaved changes. Unique keys are settled by the
/// context's merge policy: `error` refuses the batch, `objectTrump` gives the row's values to the object that has the key,
/// `overwrite` deletes that object, `storeTrump` and `rollback` leave the row out.
extension ManagedObjectContext {
    /// Inserts objects.
    ///
    /// - Throws: `BatchError` with the row and the property, ``ContextError``.
    @discardableResult
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        switch request.source {
        case .handler(let handler): return try execute(request) { handler(&$0) }
        case .rows(let rows):
            var next = rows.makeIterator()
            return try execute(request) { row in
                guard let values = next.next() else { return true }
                row = values
                return false
            }
        }
    }

    /// Inserts objects whose rows `filling` fills one by one, until it returns true; the request's own rows are not used.
    ///
    /// - Throws: `BatchError` with the row and the property, ``ContextError``, or what `filling` throws.
    @discardableResult
    public func execute(
        _ request: BatchInsertRequest,
        filling: (inout [String: PropertyValue]) throws -> Bool
    ) throws -> BatchResult {
        let terms = terms(request.resultKind)
        return try execute(request.resultKind, refreshes: request.refreshesContext) { transaction in
            try transaction.batchInsert(into: request.entityName, terms: terms, filling)
        }
    }

    /// Updates objects.
    ///
    /// - Throws: `BatchError`, ``ContextError``, or `ObjectPredicateError` when the predicate does not fit the model.
    @discardableResult
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        let query = try query(request.entityName, request.predicate, request.includesSubentities)
        let expressions = request.properties.mapValues { expression -> BatchExpression in
            switch expression {
            case .value(let value): .value(value)
            case .increment(let amount): .increment(amount)
            case .property(let name): .copy(of: name)
            }
        }
        let terms = terms(request.resultKind)
        return try execute(request.resultKind, refreshes: request.refreshesContext) { transaction in
            try transaction.batchUpdate(query, setting: expressions, terms: terms)
        }
    }

    /// Deletes objects and follows the delete rules.
    ///
    /// - Throws: `BatchError` `denied` when a Deny stands, ``ContextError``, or `ObjectPredicateError`.
    @discardableResult
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        let terms = terms(request.resultKind)
        switch request.target {
        case .ids(let ids):
            return try execute(request.resultKind, refreshes: request.refreshesContext) { transaction in
                try transaction.batchDelete(ids, terms: terms)
            }
        case .query(let name, let predicate):
            let query = try query(name, predicate, request.includesSubentities)
            return try execute(request.resultKind, refreshes: request.refreshesContext) { transaction in
                try transaction.batchDelete(query, terms: terms)
            }
        }
    }

    // MARK: Running

    private func query(_ name: String, _ predicate: ObjectPredicate?, _ includesSubentities: Bool) throws -> FetchQuery
    {
        guard let kind = schema.kind(named: name) else { throw BatchError.unknownEntity(name) }
        return FetchQuery(
            entity: kind.entity,
            predicate: predicate.map(store.resolvingNow),
            includesSubentities: includesSubentities
        )
    }

    private func terms(_ kind: BatchResultKind) -> BatchTerms {
        let collision: BatchTerms.Collision =
            switch mergePolicy {
            case .objectTrump: .update
            case .overwrite: .replace
            case .storeTrump, .rollback: .skip
            default: .refuse
            }
        return BatchTerms(
            author: author,
            contextName: name,
            collision: collision,
            listsIDs: kind == .objectIDs,
            deriving: BatchDerivation(home)
        )
    }

    private struct NothingWritten: Error {
        var outcome: BatchOutcome
    }

    private func execute(
        _ kind: BatchResultKind,
        refreshes: Bool,
        _ body: (WriteTransaction) throws -> BatchOutcome
    ) throws -> BatchResult {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        guard source.isCommitted else {
            throw ContextError.store(reason: "a batch is a transaction of its own, no part of one of several saves")
        }
        var outcome = BatchOutcome(committed: nil, count: 0, ids: [])
        do {
            try withoutActuallyEscaping(body) { body in
                let committing = { (transaction: WriteTransaction) throws -> CommittedTransaction in
                    outcome = try body(transaction)
                    guard let committed = outcome.committed else { throw NothingWritten(outcome: outcome) }
                    return committed
                }
                let committed =
                    isMain ? try commitBatchInMain(committing) : try home.pipeline.commit(committing)
                lastSaveToken = HistoryToken(store: committed.writer.description, number: committed.number)
                // The view context shows a generation with the batch from now on.
                if isMain || refreshes { merge(committed.changes) }
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
            token: outcome.committed.map { HistoryToken(store: $0.writer.description, number: $0.number) }
        )
    }

    private func commitBatchInMain(
        _ body: @escaping (WriteTransaction) throws -> CommittedTransaction
    ) throws -> CommittedTransaction {
        // The view context never leaves the main actor, where this runs, so nothing crosses here.
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) var result: CommittedTransaction?
        let pipeline = home.pipeline
        try MainActor.assumeIsolated { result = try pipeline.commitMain(body, adopting: { _ in }) }
        guard let result else { throw ContextError.closed }
        return result
    }
}
