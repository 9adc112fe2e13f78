import TributaryChanges

/// Which objects of a table may have a row in one of the store's own tables, so that the many that have none are not
/// looked up one by one.
///
/// May say yes for an object that has no row, never no for one that has.
struct MembershipHint {
    private var ids: Set<UniqueID> = []
    private var isEverything = false
    /// Identifiers that are held; with more of them each object is looked up.
    static let limit = 20_000

    func mayContain(_ id: UniqueID) -> Bool { isEverything || ids.contains(id) }

    mutating func insert(_ id: UniqueID) {
        guard !isEverything else { return }
        ids.insert(id)
        if ids.count > MembershipHint.limit { containAll() }
    }

    /// From now on any object may have a row.
    mutating func containAll() {
        isEverything = true
        ids = []
    }
}
