import TributaryChanges
import TributaryModel

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

    func predicateValue(propertyIndex: Int) -> PropertyValue {
        let name = entity.properties[propertyIndex].name
        if let target = targets[name]?.first { return .reference(target.predicateID) }
        return values[name] ?? .null
    }

    func predicateTarget(propertyIndex: Int) -> SampleObject? { targets[entity.properties[propertyIndex].name]?.first }
    func predicateTargets(propertyIndex: Int) -> [SampleObject] { targets[entity.properties[propertyIndex].name] ?? [] }
}
