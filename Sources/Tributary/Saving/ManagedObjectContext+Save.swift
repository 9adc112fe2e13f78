package import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    // MARK: Saving

    /// Validates, checks for conflicts, writes all changes in one transaction, and announces the transaction.
    ///
    /// It saves all changes or none. The calling thread waits for the write lock. Without changes nothing is written.
    ///
    /// - Throws: ``ValidationError`` with every failing property, also of objects that were gone and of derived
    ///   attributes when somebody set them since the last save; ``ConflictError`` under the policy `error`, or
    ///   ``ContextError``; the context keeps its changes then.
    public func save() throws {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        try SaveOperation(context: self).run()
    }

    /// Holds the write lock while `block` runs, and makes one transaction of all saves of this context in it.
    ///
    /// No other writer runs meanwhile; the context reads its own saves. There is one transaction in the store and in
    /// the history, and others are notified once, when `block` has ended. When `block` throws nothing is committed, and
    /// the changes that the context had saved in `block` are unsaved again. Edits that `block` did not save stay
    /// unsaved.
    ///
    /// ```swift
    /// try await background.perform { context in
    ///     try context.performInOneTransaction {
    ///         for part in parts {
    ///             try context.load(part)
    ///             try context.save()
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - Throws: the error that `block` throws, or ``ContextError`` when the store refuses the commit or the context is
    ///   a child.
    public func performInOneTransaction<T>(_ block: () throws -> T) throws -> T {
        checkConfinement()
        guard !isClosed else { throw ContextError.closed }
        guard case .store(let joined) = try source.destination() else {
            throw ContextError.store(
                reason: "a child's saves go to its parent: call performInOneTransaction on the parent"
            )
        }
        guard joined.transaction == nil else { return try block() }
        return try withoutActuallyEscaping(block) { block in
            try JoinedTransaction(context: self, joined: joined).run(block)
        }
    }

    /// Applies log operations up to the first one that fails; rules and validation run at the save, which throws
    /// ``RepeatedRequest`` when the idempotency key is known already.
    package func apply(
        _ changes: [ConditionalChange],
        idempotencyKey: String? = nil,
        restoredConflict: Int64? = nil
    ) throws(ChangeError) -> [ManagedObjectID] {
        saving.answers = []
        var terms = saving.request ?? RequestConditions()
        terms.objects = []
        terms.idempotencyKey = idempotencyKey ?? terms.idempotencyKey
        terms.restoredConflict = restoredConflict ?? terms.restoredConflict
        saving.request = terms
        var ids: [ManagedObjectID] = []
        for change in changes { ids.append(try ChangeApplication(context: self).apply(change)) }
        return ids
    }

    var label: String { isMain ? home.viewContextUse.name : "the context '\(name ?? "background")'" }

    // MARK: Refreshing

    /// Refreshes an object from the store; an object that was never saved, deleted or not, stays as it is.
    ///
    /// - Parameters:
    ///   - object: one of this context.
    ///   - mergeChanges: true keeps unsaved changes on top of the newest row; false drops them, and the object becomes
    ///     a fault.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        checkConfinement()
        RefreshOperation(context: self).refresh(object, mergeChanges: mergeChanges)
    }

    /// Refreshes every object in use from the store, and keeps unsaved changes on top.
    public func refreshAllObjects() {
        checkConfinement()
        RefreshOperation(context: self).refreshAllObjects()
    }

    /// Drops all unsaved changes: new objects are removed, changed and deleted ones have their stored values again.
    public func rollback() {
        checkConfinement()
        RefreshOperation(context: self).rollback()
    }

    /// Removes all objects and all changes.
    ///
    /// Objects that are still referenced keep their IDs and last values, and have no context any more. The view context
    /// shows the newest state afterwards.
    public func reset() {
        checkConfinement()
        RefreshOperation(context: self).reset()
    }
}

/// Saving the changes of a request, in slices when there are many: objects take many times the memory of their text.
extension ManagedObjectContext {
    /// The greatest text of a request, in bytes, that is saved at once; a longer request is saved in slices.
    private static let wholeSize = 1 << 20
    private static let sliceSize = 256 << 10
    private static let sliceCount = 2_000

    /// Applies the changes that `read` passes to its closure, and saves all or none; each `read` starts at the first
    /// one.
    ///
    /// A long request is saved in slices of one transaction. When a slice cannot be saved by itself, or has a
    /// conflict that the whole may not have, nothing of the slices stays, and all is saved at once, which finds every
    /// failure.
    ///
    /// - Returns: The object of each change; for a new object whose unique key another object keeps, that object.
    package func save(
        size: Int,
        _ counts: (all: Int, inserts: Int, deletions: Int),
        idempotencyKey key: String?,
        _ read: (_ take: (ConditionalChange) throws -> Void) throws -> Void
    ) throws -> [UniqueID] {
        let policy = mergePolicy
        // An object that a slice has deleted could be inserted again.
        if size > ManagedObjectContext.wholeSize, counts.deletions == 0 || counts.deletions == counts.all,
            case .store(let joined) = try source.destination()
        {
            joined.keepsStates = false
            // A later update could free the key of an object.
            if counts.inserts < counts.all { mergePolicy = .error }
            defer { (joined.keepsStates, mergePolicy) = (true, policy) }
            do {
                return try performInOneTransaction { try apply(counts.all, key, inSlices: true, read) }
            } catch let error as RepeatedRequest {
                throw error
            } catch {
                reset()
                lastSaveToken = nil
            }
        }
        mergePolicy = policy
        return try apply(counts.all, key, inSlices: false, read)
    }

    private func apply(
        _ count: Int,
        _ key: String?,
        inSlices: Bool,
        _ read: (_ take: (ConditionalChange) throws -> Void) throws -> Void
    ) throws -> [UniqueID] {
        saving.answers = []
        saving.answers.reserveCapacity(count)
        var replaced = ReplacedObjects()
        var size = 0
        try read { change in
            let changes = saving.request?.objects.count ?? 0
            if inSlices, size >= ManagedObjectContext.sliceSize || changes >= ManagedObjectContext.sliceCount {
                try saveSlice(&replaced)
                size = 0
            }
            // Saved at once, the request fails for an ID that occurs twice and for a version that the request itself
            // creates; slices must not accept them.
            let isOwnVersion = change.ifVersion.map { $0 >= lastSaveToken?.number ?? .max } ?? false
            if inSlices, isOwnVersion || replaced.unwritten.contains(change.change.id) {
                throw ContextError.store(reason: "a change depends on one of another slice")
            }
            size += change.change.textSize
            _ = try ChangeApplication(context: self).apply(change)
        }
        saving.request?.idempotencyKey = key
        try saveSlice(&replaced)
        return exchange(&saving.answers, with: [])
    }

    /// The new objects of a request that were not written, because their unique keys are taken.
    private struct ReplacedObjects {
        var unwritten: Set<UniqueID> = []
        /// The objects from before the request that keep the keys.
        var heirs: Set<UniqueID> = []
    }

    private func saveSlice(_ replaced: inout ReplacedObjects) throws {
        let (first, given) = (saving.answers.count, saving.request?.objects ?? [])
        try save()
        var found: Set<UniqueID> = []
        for (id, answer) in zip(given, saving.answers[first...]) where id.uniqueID != answer {
            found.insert(answer)
            replaced.unwritten.insert(id.uniqueID)
        }
        found.subtract(replaced.heirs)
        replaced.heirs.formUnion(found.subtracting(given.map(\.uniqueID)))
        // Saved at once, the request keeps the later one of two new objects with one key.
        guard !found.isEmpty, saving.answers[..<first].contains(where: found.contains) else { return }
        throw ContextError.store(reason: "objects of two slices have one key")
    }
}

struct RequestConditions {
    var idempotencyKey: String?
    /// The conflict whose losing value the changes restore, which is marked in the same commit.
    var restoredConflict: Int64?
    var versions: [ManagedObjectID: Int64] = [:]
    var objects: [ManagedObjectID] = []
    var positions: [RelationshipDelta.Key: [ManagedObjectID: String]] = [:]
    var increments: [RelationshipDelta.Key: Increment] = [:]

    /// The index of the first change of each object; O(n), for errors.
    var indices: [ManagedObjectID: Int] { Dictionary(zip(objects, 0...)) { first, _ in first } }

    /// Returns the object of each change after the save; instead of a new object that was not written, the object
    /// that keeps its unique key.
    func answers(_ plan: SavePlan) -> [UniqueID] {
        objects.map { plan.unique.replacement(of: $0.uniqueID, root: $0.rootEntity) ?? $0.uniqueID }
    }

    /// The exact sum of a counter's increments, because the difference of the values that it shows may be rounded.
    struct Increment {
        let before: PropertyValue
        var sum: PropertyValue
        /// The value after the last increment; a counter with another value has been assigned since.
        var shown: PropertyValue
    }
}

/// A request with this idempotency key has already been processed, and this one wrote nothing.
package struct RepeatedRequest: Error, Hashable, Sendable {
    package var number: Int64
    package var detail: String

    package init(number: Int64, detail: String) {
        self.number = number
        self.detail = detail
    }
}

struct SaveSettings {
    var author: String?
    var mergePolicy: MergePolicy
    var resolveConflict: ((ManagedObject, MergeConflict) throws -> MergePolicy?)?
    var request: RequestConditions?
    /// The object of each change of a request that has been saved.
    var answers: [UniqueID] = []
    /// The checks that the running validation has made before it calls a hook; nil while none runs.
    var validation: ValidationProgress?
    var lastToken: HistoryToken?

    mutating func endRequest(_ plan: SavePlan) {
        answers += request?.answers(plan) ?? []
        request = nil
    }
}
