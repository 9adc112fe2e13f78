import TributaryChanges

/// Compares the versions of deferred writes with each other.
struct DeferredVersionOrder: VersionOrder {
    let versions: VersionCache

    func isOlder(_ first: DeferredVersion, than second: DeferredVersion) throws -> Bool {
        if first.number == second.number { return first.order.lexicographicallyPrecedes(second.order) }
        return try versions.isOlder(first.number, than: second.number)
    }
}
