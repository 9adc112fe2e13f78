import TributaryChanges
import TributaryModel

/// The values of a snapshot as the subject of a predicate, without other objects.
struct SnapshotSubject: PredicateSubject {
    typealias Related = SnapshotSubject

    let snapshot: ObjectSnapshot
    let entity: Entity

    var predicateID: UniqueID { snapshot.id.uniqueID }

    var predicateEntity: String { snapshot.id.entity }

    func predicateValue(propertyIndex: Int) -> PropertyValue {
        entity.properties.indices.contains(propertyIndex) ? snapshot[entity.properties[propertyIndex].name] : .null
    }

    func predicateTarget(propertyIndex: Int) -> SnapshotSubject? { nil }

    func predicateTargets(propertyIndex: Int) -> [SnapshotSubject] { [] }
}
