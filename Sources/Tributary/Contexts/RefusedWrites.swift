import TributaryChanges

/// Writes that had no effect because their setters cannot throw; the next save reports them.
struct RefusedWrites {
    private(set) var failures: [ValidationFailure] = []
    private var known: Set<Target> = []

    private struct Target: Hashable {
        var id: ManagedObjectID
        var property: String?
    }

    /// The maximum number of refused writes that are kept: the save fails in any case.
    static let limit = 1_000

    var isEmpty: Bool { failures.isEmpty }

    mutating func add(_ failure: ValidationFailure) {
        guard failures.count < RefusedWrites.limit,
            known.insert(Target(id: failure.objectID, property: failure.property)).inserted
        else { return }
        failures.append(failure)
    }
}
