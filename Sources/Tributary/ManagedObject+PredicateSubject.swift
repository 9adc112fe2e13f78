package import TributaryChanges
import TributaryModel

extension ManagedObject: PredicateSubject {
    package typealias Related = ManagedObject

    package var predicateID: UniqueID { uniqueID }

    package func predicateValue(slot: Int) -> PropertyValue {
        guard kind.entity.properties.indices.contains(slot) else { return .null }
        guard kind.entity.properties[slot].relationship != nil else { return read(slot) }
        return relatedID(slot).map { .reference($0.uniqueID) } ?? .null
    }

    package func predicateTarget(slot: Int) -> ManagedObject? { related(slot) }

    package func predicateTargets(slot: Int) -> [ManagedObject] { relatedObjects(slot) }
}
