/// Steps that are undone together.
struct UndoGroup {
    private struct Place: Hashable {
        var object: ObjectIdentifier
        var propertyIndex: Int
    }

    var name = ""
    private(set) var records: [UndoRecord] = []
    private var ordered: Set<Place> = []

    /// Adds a step; of several values of one property the oldest is kept.
    mutating func add(_ record: UndoRecord) {
        if case .value(let object, let propertyIndex, _) = record,
            case .value(let last, propertyIndex, _)? = records.last,
            last === object
        {
            return
        }
        if case .order(let object, let propertyIndex, _) = record {
            guard ordered.insert(Place(object: ObjectIdentifier(object), propertyIndex: propertyIndex)).inserted else {
                return
            }
        }
        records.append(record)
    }

    /// Whether the group has recorded the relationship's order; the oldest one is restored.
    func hasOrder(of object: ManagedObject, _ propertyIndex: Int) -> Bool {
        ordered.contains(Place(object: ObjectIdentifier(object), propertyIndex: propertyIndex))
    }

    mutating func forget(_ objects: Set<ObjectIdentifier>) {
        records.removeAll { $0.concerns(objects) }
        ordered = ordered.filter { !objects.contains($0.object) }
    }
}
