import Tributary

/// The names of all employees by ID, kept up to date from history.
struct NameIndex {
    static let consumer = "name index"

    private(set) var names: [ManagedObjectID: String] = [:]
    /// How often the index was built from all employees instead of from history.
    private(set) var timesBuilt = 0

    /// Takes over what was saved since the last time, whoever saved it.
    ///
    /// Where history does not go back to the last time, the index is built anew: nothing is lost, it only takes longer.
    mutating func catchUp(with container: PersistentContainer) async throws {
        // First the place to go on from next time: what is saved meanwhile is then read twice rather than never.
        let end = try container.currentHistoryToken()
        do {
            let start = try container.historyToken(ofConsumer: Self.consumer)
            try await apply(Self.changedIDs(after: start, in: container), in: container)
        } catch HistoryError.expired, HistoryError.unknownConsumer, HistoryError.foreignToken {
            try await build(from: container)
            try await container.registerHistoryConsumer(Self.consumer, at: end)
        }
        try await container.setHistoryToken(end, ofConsumer: Self.consumer)
    }

    /// The employees that were touched, page by page.
    private static func changedIDs(
        after token: HistoryToken,
        in container: PersistentContainer
    ) throws -> Set<ManagedObjectID> {
        var filter = HistoryFilter()
        filter.entityNames = ["Employee"]
        var (changed, token) = (Set<ManagedObjectID>(), token)
        while true {
            let page = try container.fetchHistory(after: token, filter: filter, limit: 100)
            guard let last = page.last else { return changed }
            changed.formUnion(page.flatMap(\.changes).map(\.objectID))
            token = last.token
        }
    }

    private mutating func apply(_ changed: Set<ManagedObjectID>, in container: PersistentContainer) async throws {
        let found = try await container.performBackgroundTask { context in
            try changed.map { id in
                do {
                    return (id, (try context.existingObject(with: id) as? Employee)?.name)
                } catch ContextError.notFound {
                    return (id, nil)  // deleted since
                }
            }
        }
        for (id, name) in found { names[id] = name }
    }

    private mutating func build(from container: PersistentContainer) async throws {
        let all = try await container.performBackgroundTask { context in
            try context.fetch(Employee.self).map { ($0.objectID, $0.name) }
        }
        names = Dictionary(uniqueKeysWithValues: all)
        timesBuilt += 1
    }
}
