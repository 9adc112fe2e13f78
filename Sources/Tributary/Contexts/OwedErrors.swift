import TributaryChanges

/// What the next save of a context throws, because the getter or setter that met it cannot throw.
struct OwedErrors {
    /// An error while reading.
    var readError: ContextError?
    /// The refused writes, one for each object and property, in order.
    private(set) var refusedWrites: [ValidationFailure] = []
    private var known: Set<Target> = []

    private struct Target: Hashable {
        var id: ManagedObjectID
        var property: String?
    }

    /// More refused writes than this are not kept: the save fails anyhow.
    static let limit = 1_000

    /// Keeps a refused write; a second one of the same property adds nothing.
    mutating func add(_ failure: ValidationFailure) {
        guard refusedWrites.count < OwedErrors.limit,
            known.insert(Target(id: failure.objectID, property: failure.property)).inserted
        else { return }
        refusedWrites.append(failure)
    }

    /// Hands over the refused writes; they are told once.
    mutating func takeRefusedWrites() -> [ValidationFailure] {
        defer { removeRefusedWrites() }
        return refusedWrites
    }

    mutating func removeRefusedWrites() {
        refusedWrites = []
        known = []
    }
}
