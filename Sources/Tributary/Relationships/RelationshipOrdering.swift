import TributaryChanges

/// The order that a context has given to an ordered relationship of one object.
struct RelationshipOrdering {
    private(set) var ids: [ManagedObjectID]
    private var members: Set<ManagedObjectID>
    /// The context's list version at which ``ids`` are all objects of the relationship; nil when that is unknown.
    private(set) var completeAt: UInt64?

    init(_ ids: [ManagedObjectID], completeAt version: UInt64? = nil) {
        self.ids = ids
        members = Set(ids)
        completeAt = version
    }

    func contains(_ id: ManagedObjectID) -> Bool { members.contains(id) }

    mutating func append(_ id: ManagedObjectID) {
        if !members.insert(id).inserted { ids.removeAll { $0 == id } }
        ids.append(id)
    }

    mutating func markIncomplete() { completeAt = nil }

    mutating func moveLast(to index: Int) {
        guard let last = ids.popLast() else { return }
        ids.insert(last, at: max(0, min(index, ids.count)))
    }

    /// Returns `list` sorted into this order; an object that the order lacks stays behind its predecessor in `list`.
    func ordering(_ list: [ManagedObjectID]) -> [ManagedObjectID] {
        let present = Set(list)
        var followers: [ManagedObjectID?: [ManagedObjectID]] = [:]
        var last: ManagedObjectID?
        for id in list {
            if members.contains(id) { last = id } else { followers[last, default: []].append(id) }
        }
        var result = followers[nil] ?? []
        for id in ids where present.contains(id) {
            result.append(id)
            result += followers[id] ?? []
        }
        return result
    }

    /// Returns a largest set of objects in `list` that need not move to change the order of `base` to `list`.
    static func unmoved(_ list: [ManagedObjectID], in base: [ManagedObjectID]) -> Set<ManagedObjectID> {
        let places = Dictionary(base.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let stored = list.compactMap { id in places[id].map { (id: id, place: $0) } }
        return Set(stored.map(\.place).longestRise(by: <).map { stored[$0].id })
    }
}
