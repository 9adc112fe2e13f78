import TributaryChanges

/// Writes that had no effect because their setters cannot throw; the next save reports them.
struct RefusedWrites {
    /// One for each object and property, in order.
    private(set) var failures: [ValidationFailure] = []
    private var known: Set<Target> = []

    private struct Target: Hashable {
        var id: ManagedObjectID
        var property: String?
    }

    /// More refused writes than this are not kept: the save fails anyhow.
    static let limit = 1_000

    var isEmpty: Bool { failures.isEmpty }

    /// Adds a refused write; a second one of the same property adds nothing.
    mutating func add(_ failure: ValidationFailure) {
        guard failures.count < RefusedWrites.limit,
            known.insert(Target(id: failure.objectID, property: failure.property)).inserted
        else { return }
        failures.append(failure)
    }
}
