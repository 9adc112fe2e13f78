import TributaryChanges

extension Sequence<ManagedObjectID> {
    func ordered(by positions: [ManagedObjectID: String]) -> [ManagedObjectID] {
        compactMap { id in positions[id].map { (OrderedPosition(position: $0, id: id.uniqueID), id) } }
            .sorted { $0.0 < $1.0 }
            .map(\.1)
    }
}
