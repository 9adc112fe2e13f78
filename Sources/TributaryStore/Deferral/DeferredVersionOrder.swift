import TributaryChanges

/// Compares the versions of deferred writes with each other.
struct DeferredVersionOrder: VersionOrder {
    let versions: VersionCache

    func isOlder(_ first: DeferredVersion, than second: DeferredVersion) throws -> Bool {
        if first.number == second.number { return first.order.lexicographicallyPrecedes(second.order) }
        return try versions.isOlder(first.number, than: second.number)
    }

    /// Whether the store has both writes from one transaction.
    func areOfOneTransaction(_ first: DeferredVersion, _ second: DeferredVersion) -> Bool {
        VersionNumber.transaction(of: first.number) == VersionNumber.transaction(of: second.number)
    }

    func areOfClones(_ first: DeferredVersion, _ second: DeferredVersion) throws -> Bool {
        try versions.areOfClones(first.number, second.number)
    }
}
