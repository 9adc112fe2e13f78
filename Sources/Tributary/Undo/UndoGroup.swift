import TributaryChanges

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

/// One step that can be undone.
enum UndoRecord {
    /// An attribute or a to-one register had this value.
    case value(ManagedObject, propertyIndex: Int, old: PropertyValue)
    case pair(ManagedObject, propertyIndex: Int, target: ManagedObject, isLinked: Bool)
    case appeared(ManagedObject)
    case disappeared(ManagedObject)
    case order(ManagedObject, propertyIndex: Int, old: [ManagedObjectID])

    /// Whether the step concerns one of the objects, at either end.
    func concerns(_ objects: Set<ObjectIdentifier>) -> Bool {
        switch self {
        case .value(let subject, _, _), .appeared(let subject), .disappeared(let subject), .order(let subject, _, _):
            objects.contains(ObjectIdentifier(subject))
        case .pair(let subject, _, let target, _):
            objects.contains(ObjectIdentifier(subject)) || objects.contains(ObjectIdentifier(target))
        }
    }
}
