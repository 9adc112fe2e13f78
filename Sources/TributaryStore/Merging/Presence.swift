import TributaryChanges

/// Which objects of a table have something in one of the store's own tables, so that the many that have nothing are not
/// looked up one by one.
///
/// May say yes for one that has nothing, never no for one that has.
struct Presence {
    private var ids: Set<UniqueID> = []
    private var isEverything = false
    /// Identifiers that are held before looking up each is the better way.
    static let limit = 20_000

    func mayContain(_ id: UniqueID) -> Bool { isEverything || ids.contains(id) }

    mutating func insert(_ id: UniqueID) {
        guard !isEverything else { return }
        ids.insert(id)
        if ids.count > Presence.limit { collapse() }
    }

    mutating func collapse() {
        isEverything = true
        ids = []
    }
}
