import TributaryChanges
import TributaryModel

/// Result names become properties of temporary entities: `a.b` is the property `b` of the target of `a`.
struct HavingCondition: Sendable {
    let predicate: BoundPredicate
    private let model: Model
    private let entity: Entity
    private let columns: [String: [Int?]]

    init(_ predicate: ObjectPredicate, columns: [DictionaryPlan.Column]) throws(ObjectPredicateError) {
        // The target of an ID, if no result name leads to a property of this target.
        var definitions = [EntityDefinition(name: "End")]
        var ends: [String: [String: Int]] = [:]
        let names = columns.enumerated().map { ($1.name.split(separator: ".").map(String.init)[...], $0) }
        let name = HavingCondition.define(names, columns, &definitions, &ends)
        do {
            model = try Model(version: "results", entities: definitions)
        } catch {
            throw ObjectPredicateError("a condition on results needs plain names for them: \(error)", keyPath: "having")
        }
        guard let entity = model.entity(named: name) else {
            throw ObjectPredicateError("the request names no results", keyPath: "having")
        }
        self.entity = entity
        self.columns = Dictionary(
            uniqueKeysWithValues: model.entities.compactMap { entity in
                ends[entity.name].map { ends in (entity.name, entity.properties.map { ends[$0.name] }) }
            }
        )
        self.predicate = try predicate.bind(to: entity, in: model)
    }

    private static func define(
        _ names: [(ArraySlice<String>, Int)],
        _ columns: [DictionaryPlan.Column],
        _ definitions: inout [EntityDefinition],
        _ ends: inout [String: [String: Int]]
    ) -> String {
        let index = definitions.count
        var definition = EntityDefinition(name: "Result\(index)")
        definitions.append(definition)
        ends[definition.name] = [:]
        for (name, entries) in Dictionary(grouping: names, by: { $0.0.first ?? "" }).sorted(by: { $0.key < $1.key }) {
            let end = entries.first { $0.0.count <= 1 }?.1
            ends[definition.name]?[name] = end
            let longer = entries.filter { $0.0.count > 1 }.map { ($0.0.dropFirst(), $0.1) }
            if let end, let type = columns[end].type, longer.isEmpty {
                var attribute = Attribute(name: name, type: type)
                attribute.isOptional = true
                definition.attributes.append(attribute)
            } else {
                let target = longer.isEmpty ? "End" : define(longer, columns, &definitions, &ends)
                var relationship = Relationship(name: name, destination: target)
                relationship.isOptional = true
                definition.relationships.append(relationship)
            }
        }
        definitions[index] = definition
        return definition.name
    }

    func properties(_ values: [SQLFragment]) -> [String: [SQLFragment]] {
        columns.mapValues { columns in columns.map { column in column.map { values[$0] } ?? SQLFragment("NULL") } }
    }

    func holds(for values: [PropertyValue]) -> Bool {
        predicate.evaluate(on: Result(condition: self, values: values, entity: entity))
    }

    private struct Result: PredicateSubject {
        let condition: HavingCondition
        let values: [PropertyValue]
        let entity: Entity

        var predicateID: UniqueID { HavingCondition.noID }
        var predicateEntity: String { HavingCondition.entityName }

        func predicateValue(propertyIndex: Int) -> PropertyValue {
            let column = condition.columns[entity.name]?[propertyIndex]
            return column.map { values[$0] } ?? .null
        }

        func predicateTarget(propertyIndex: Int) -> Result? {
            guard let name = entity.properties[propertyIndex].relationship?.destination, condition.columns[name] != nil
            else { return nil }
            return condition.model.entity(named: name).map { Result(condition: condition, values: values, entity: $0) }
        }

        func predicateTargets(propertyIndex: Int) -> [Result] { [] }
    }

    static let noID = UniqueID(high: 0, low: 0)
    static let entityName = "Result"
}
