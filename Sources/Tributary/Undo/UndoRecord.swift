import TributaryChanges

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
