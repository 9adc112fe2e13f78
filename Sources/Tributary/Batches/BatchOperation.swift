// Batches: the requests that insert, update or delete many objects in the store itself, without objects of the context.
// The store writes them (TributaryStore/Batches); here are the requests, their results and the derived attributes.

public import TributaryChanges
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

    private struct NothingWritten: Error {}

    func run(
        _ kind: BatchResultKind,
        refreshes: Bool,
        _ block: (BatchWriter, BatchTerms) throws -> BatchWriteResult
    ) throws -> BatchResult {
        context.checkConfinement()
        guard !context.isClosed else { throw ContextError.closed }
        guard context.isCommitted else {
            throw ContextError.store(reason: "a batch is a separate transaction: call it outside of several saves")
        }
        let terms = options(kind)
        var result = BatchWriteResult(committed: nil, count: 0, ids: [])
        do {
            try withoutActuallyEscaping(block) { block in
                let committing = { (transaction: WriteTransaction) throws -> CommittedTransaction in
                    result = try block(transaction.batches, terms)
                    guard let committed = result.committed else { throw NothingWritten() }
                    return committed
                }
                let committed = try commit(committing)
                context.lastSaveToken = HistoryToken(store: committed.history ?? "", number: committed.number)
                // From now on the view context shows a generation with the batch.
                if context.isMain || refreshes { MergeOperation(context: context).merge(committed.changes) }
            }
        } catch is NothingWritten {
        } catch let error as StoreError {
            throw ContextError(error)
        }
        return BatchResult(
            kind: kind,
            count: result.count,
            objectIDs: result.ids,
            token: result.committed.map { HistoryToken(store: $0.history ?? "", number: $0.number) }
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

/// Attributes of the batch's own objects are computed with each slice, others at the end.
///
/// The memory grows with the number of objects that depend on others, not with the batch.
final class BatchDerivation: BatchDeriving {
    private let schema: ObjectSchema
    private let context: ManagedObjectContext
    private let now: PropertyValue
    private var dependencies: [DerivationDependency] { schema.derivationDependencies }
    private var concerned: Set<ManagedObjectID> = []

    init?(_ home: ContextHome) {
        guard !home.schema.derivingKinds.isEmpty else { return nil }
        schema = home.schema
        let time = home.store.configuration.environment.wallTime()
        context = ManagedObjectContext(home: home, mergePolicy: .error)
        now = .date(DateValue(time))
    }

    func willApply(_ changes: [Change], _ reader: Reader) throws {
        guard !dependencies.isEmpty else { return }
        for change in changes {
            switch change.operation {
            case .insert, .link: continue
            case .update(let writes): try addFormerOwners(change, Set(writes.map(\.name)), reader)
            case .delete: try addDependents(of: change.id, entity: change.entity, reader)
            case .unlink(let name, let ids): try addEnds(change, name, ids)
            }
        }
    }

    private func addFormerOwners(_ change: Change, _ names: Set<String>, _ reader: Reader) throws {
        for dependency in dependencies where dependency.relationship.isToMany {
            guard let inverse = dependency.relationship.inverse, names.contains(inverse) else { continue }
            try addDependents(of: change.id, entity: change.entity, through: dependency, reader)
        }
    }

    func didApply(_ changes: [Change], _ reader: Reader) throws -> [Change] {
        var result: [Change] = []
        var seen: Set<ManagedObjectID> = []
        for change in changes {
            if case .delete = change.operation { continue }
            if case .link(let name, let ids, _) = change.operation { try addEnds(change, name, ids) }
            var changed = [(change.id, change.entity)]
            if case .unlink(let name, let ids) = change.operation,
                let propertyIndex = schema.descriptor(named: change.entity)?.propertyIndex(named: name),
                let relationship = schema.descriptor(named: change.entity)?.entity.properties[propertyIndex]
                    .relationship
            {
                changed += ids.map { ($0, relationship.destination) }
            }
            for (id, entity) in changed {
                try addDependents(of: id, entity: entity, reader)
                guard let root = schema.descriptor(named: entity)?.entity.root,
                    let descriptor = schema.descriptor(named: root),
                    seen.insert(descriptor.objectID(id)).inserted,
                    let update = try update(descriptor.objectID(id), true, reader)
                else { continue }
                result.append(update)
            }
        }
        return result
    }

    func finish(_ reader: Reader, slice: Int, _ write: ([Change]) throws -> Void) throws {
        var changes: [Change] = []
        for id in concerned.sorted(by: { ($0.rootEntity, $0.uniqueID) < ($1.rootEntity, $1.uniqueID) }) {
            guard let change = try update(id, false, reader) else { continue }
            changes.append(change)
            guard changes.count >= slice else { continue }
            try write(changes)
            changes.removeAll(keepingCapacity: true)
        }
        if !changes.isEmpty { try write(changes) }
    }

    private func update(_ id: ManagedObjectID, _ isChanged: Bool, _ reader: Reader) throws -> Change? {
        try DerivedValues(context: context, reader: reader, now: now, dropped: []).change(of: id, isChanged: isChanged)
    }

    private func addEnds(_ change: Change, _ name: String, _ ids: [UniqueID]) throws {
        guard let descriptor = schema.descriptor(named: change.entity),
            let propertyIndex = descriptor.propertyIndex(named: name),
            let relationship = descriptor.entity.properties[propertyIndex].relationship,
            let destination = schema.descriptor(named: relationship.destination)
        else { return }
        concerned.insert(descriptor.objectID(change.id))
        for id in ids { concerned.insert(destination.objectID(id)) }
    }

    private func addDependents(of id: UniqueID, entity: String, _ reader: Reader) throws {
        for dependency in dependencies { try addDependents(of: id, entity: entity, through: dependency, reader) }
    }

    private func addDependents(
        of id: UniqueID,
        entity: String,
        through dependency: DerivationDependency,
        _ reader: Reader
    ) throws {
        let destination = dependency.destination.entity
        guard schema.descriptor(named: entity)?.entity.root == destination.root else { return }
        concerned.formUnion(
            try dependency.owners(of: id, reader) {
                try reader.related(to: id, entity: destination, propertyIndex: $0)
            }
        )
    }
}

/// A batch is checked against the store, not against the context's unsaved changes.
///
/// The merge policy resolves conflicts of unique keys: `error` refuses the batch, `objectTrump` gives the row's values
/// to the object that has the key, `overwrite` deletes that object, `storeTrump` and `rollback` leave the row out.
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

    /// Inserts objects from rows that `filling` fills, instead of the request's rows, until it returns true.
    ///
    /// - Throws: `BatchError` with the row and the property, ``ContextError``, or the error of `filling`.
    @discardableResult
    public func execute(
        _ request: BatchInsertRequest,
        filling: (inout [String: PropertyValue]) throws -> Bool
    ) throws -> BatchResult {
        let operation = BatchOperation(context: self)
        return try operation.run(request.resultKind, refreshes: request.refreshesContext) { batches, terms in
            try batches.insert(into: request.entityName, identity: request.identity, terms: terms, filling)
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
    /// - Throws: `BatchError` `denied` when a Deny rule applies or a mandatory reference cannot be cleared, ``ContextError``,
    ///   or `ObjectPredicateError`.
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

extension PersistentContainer {
    /// Inserts objects on a new background context.
    ///
    /// See ``ManagedObjectContext/execute(_:)-(BatchInsertRequest)``.
    @discardableResult
    public func execute(_ request: BatchInsertRequest, mergePolicy: MergePolicy = .error) async throws -> BatchResult {
        try await newBackgroundContext(name: "batch", mergePolicy: mergePolicy).perform { try $0.execute(request) }
    }

    /// Updates objects on a new background context.
    @discardableResult
    public func execute(_ request: BatchUpdateRequest, mergePolicy: MergePolicy = .error) async throws -> BatchResult {
        try await newBackgroundContext(name: "batch", mergePolicy: mergePolicy).perform { try $0.execute(request) }
    }

    /// Deletes objects on a new background context.
    @discardableResult
    public func execute(_ request: BatchDeleteRequest) async throws -> BatchResult {
        try await newBackgroundContext(name: "batch").perform { try $0.execute(request) }
    }
}
