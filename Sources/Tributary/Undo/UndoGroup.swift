/// Steps that are taken back together.
struct UndoGroup {
    /// An ordered relationship of one object.
    private struct Place: Hashable {
        var object: ObjectIdentifier
        var slot: Int
    }

    var name = ""
    private(set) var records: [UndoRecord] = []
    /// The relationships whose orders are among the records.
    private var ordered: Set<Place> = []

    /// Adds a step; a value that is set again and again keeps what it was at first.
    mutating func add(_ record: UndoRecord) {
        if case .value(let object, let slot, _) = record, case .value(let last, slot, _)? = records.last,
            last === object
        {
            return
        }
        if case .order(let object, let slot, _) = record {
            guard ordered.insert(Place(object: ObjectIdentifier(object), slot: slot)).inserted else { return }
        }
        records.append(record)
    }

    /// Whether it has the order of a relationship: the oldest, which is the one to go back to.
    func hasOrder(of object: ManagedObject, _ slot: Int) -> Bool {
        ordered.contains(Place(object: ObjectIdentifier(object), slot: slot))
    }

    /// Takes every step about the objects off.
    mutating func forget(_ objects: Set<ObjectIdentifier>) {
        records.removeAll { $0.concerns(objects) }
        ordered = ordered.filter { !objects.contains($0.object) }
    }
}
