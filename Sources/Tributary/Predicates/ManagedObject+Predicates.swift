package import TributaryChanges
public import TributaryModel

extension ManagedObject: PredicateSubject {
    package typealias Related = ManagedObject

    package var predicateID: UniqueID { uniqueID }

    package var predicateEntity: String { kind.entity.name }

    package func predicateValue(slot: Int) -> PropertyValue {
        guard kind.entity.properties.indices.contains(slot) else { return .null }
        guard kind.entity.properties[slot].relationship != nil else { return read(slot) }
        // What is deleted here is not visible; an ID that is not registered is of an object without changes.
        guard let id = relatedID(slot) else { return .null }
        if managedObjectContext?.registeredObject(for: id)?.state == .deleted { return .null }
        return .reference(id.uniqueID)
    }

    package func predicateTarget(slot: Int) -> ManagedObject? {
        related(slot).flatMap { $0.state == .deleted ? nil : $0 }
    }

    package func predicateTargets(slot: Int) -> [ManagedObject] {
        relatedObjects(slot).filter { $0.state != .deleted }
    }
}

extension ManagedObject: PredicateArgumentConvertible {
    /// The object's ID, for comparison with a relationship or with SELF.
    public var predicateArgument: PredicateArgument { .object(objectID) }
}
