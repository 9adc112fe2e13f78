import TributaryChanges
import TributaryModel

/// A plain object of the sample model.
final class SampleObject: PredicateSubject {
    let predicateID: UniqueID
    private let entity: Entity
    private var values: [String: PropertyValue]
    private var targets: [String: [SampleObject]] = [:]

    init(_ entity: Entity, id: UInt64, _ values: [String: PropertyValue] = [:]) {
        self.entity = entity
        self.values = values
        predicateID = UniqueID(high: 0, low: id)
    }

    var predicateEntity: String { entity.name }

    func link(_ name: String, _ objects: SampleObject...) { targets[name] = objects }

    func predicateValue(slot: Int) -> PropertyValue {
        let name = entity.properties[slot].name
        if let target = targets[name]?.first { return .reference(target.predicateID) }
        return values[name] ?? .null
    }

    func predicateTarget(slot: Int) -> SampleObject? { targets[entity.properties[slot].name]?.first }
    func predicateTargets(slot: Int) -> [SampleObject] { targets[entity.properties[slot].name] ?? [] }
}
