import TributaryChanges
import TributaryModel

/// The values of a snapshot as the subject of a predicate, without other objects.
struct SnapshotSubject: PredicateSubject {
    typealias Related = SnapshotSubject

    let snapshot: ObjectSnapshot
    let entity: Entity

    var predicateID: UniqueID { snapshot.id.uniqueID }

    var predicateEntity: String { snapshot.id.entity }

    func predicateValue(slot: Int) -> PropertyValue {
        entity.properties.indices.contains(slot) ? snapshot[entity.properties[slot].name] : .null
    }

    func predicateTarget(slot: Int) -> SnapshotSubject? { nil }

    func predicateTargets(slot: Int) -> [SnapshotSubject] { [] }
}
