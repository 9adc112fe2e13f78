package import TributaryChanges
import TributaryStore

/// Saving the changes of a request, in slices when there are many: objects take many times the memory of their text.
extension ManagedObjectContext {
    /// The size of the text up to which a request is saved at once, and the greatest slice of a longer one.
    private static let wholeSize = 1 << 20
    private static let sliceSize = 256 << 10
    private static let sliceCount = 2_000

    /// Applies the changes that `read` hands over, each time from the first one, and saves them, all or none.
    ///
    /// A long request is saved in slices of one transaction. When a slice cannot be saved by itself, or has a conflict that
    /// the whole may not have, nothing of the slices stays, and all is saved at once, which finds every failure.
    ///
    /// - Returns: The object of each change; for a new object whose unique key another one keeps, that one.
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
            // The whole refuses an ID that occurs twice, and the version that the request itself gives.
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
        // The whole keeps the later one of two new objects with one key.
        guard !found.isEmpty, saving.answers[..<first].contains(where: found.contains) else { return }
        throw ContextError.store(reason: "objects of two slices have one key")
    }
}
