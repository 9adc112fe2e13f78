public import TributaryChanges
import TributaryModel
import TributaryStore

/// Batches: inserts, updates and deletions in the store itself, one transaction each, all or nothing.
///
/// A batch cannot be part of ``performInOneTransaction(_:)``: it throws there.
///
/// Batches are checked against the store, not against the context's unsaved changes. The context's merge policy
/// resolves conflicts of unique keys: `error` refuses the batch, `objectTrump` gives the row's values to the object
/// that has the key, `overwrite` deletes that object, `storeTrump` and `rollback` leave the row out.
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

    /// Inserts objects whose rows `filling` fills one by one, until it returns true, instead of the request's rows.
    ///
    /// - Throws: `BatchError` with the row and the property, ``ContextError``, or the error that `filling` throws.
    @discardableResult
    public func execute(
        _ request: BatchInsertRequest,
        filling: (inout [String: PropertyValue]) throws -> Bool
    ) throws -> BatchResult {
        let operation = BatchOperation(context: self)
        return try operation.run(request.resultKind, refreshes: request.refreshesContext) { batches, terms in
            try batches.insert(into: request.entityName, terms: terms, filling)
        }
    }

    /// Updates objects.
    ///
    /// - Throws: `BatchError`, ``ContextError``, or `ObjectPredicateError` when the predicate does not fit the model.
    @discardableResult
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        let operation = BatchOperation(context: self)
        let query = try operation.query(request.entityName, request.predicate, request.includesSubentities)
        let expressions = request.properties.mapValues { expression -> BatchExpression in
            switch expression {
            case .value(let value): .value(value)
            case .increment(let amount): .increment(amount)
            case .property(let name): .copy(of: name)
            }
        }
        return try operation.run(request.resultKind, refreshes: request.refreshesContext) { batches, terms in
            try batches.update(query, setting: expressions, terms: terms)
        }
    }

    /// Deletes objects and follows the delete rules.
    ///
    /// - Throws: `BatchError` `denied` when a Deny rule applies, ``ContextError``, or `ObjectPredicateError`.
    @discardableResult
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        let operation = BatchOperation(context: self)
        switch request.target {
        case .ids(let ids):
            return try operation.run(request.resultKind, refreshes: request.refreshesContext) { batches, terms in
                try batches.delete(ids, terms: terms)
            }
        case .query(let name, let predicate):
            let query = try operation.query(name, predicate, request.includesSubentities)
            return try operation.run(request.resultKind, refreshes: request.refreshesContext) { batches, terms in
                try batches.delete(query, terms: terms)
            }
        }
    }
}
