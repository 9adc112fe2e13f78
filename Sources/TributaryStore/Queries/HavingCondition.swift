import TributaryChanges
import TributaryModel

/// A predicate on dictionary results.
///
/// The result names become properties of temporary entities, so that comparisons have their usual meaning.
struct HavingCondition: Sendable {
    /// The part of a name up to a dot: `department.title` is the property `title` of the target of `department`.
    private final class Place: Sendable {
        let entity: String
        let columns: [String: Int]
        let places: [String: Place]

        init(entity: String, columns: [String: Int], places: [String: Place]) {
            self.entity = entity
            self.columns = columns
            self.places = places
        }
    }

    private struct Result: PredicateSubject {
        let values: [PropertyValue]
        let columns: [Int?]
        let targets: [Result?]

        var predicateID: UniqueID { UniqueID(high: 0, low: 0) }
        var predicateEntity: String { "Result" }

        func predicateValue(propertyIndex: Int) -> PropertyValue { columns[propertyIndex].map { values[$0] } ?? .null }
        func predicateTarget(propertyIndex: Int) -> Result? { targets[propertyIndex] }
        func predicateTargets(propertyIndex: Int) -> [Result] { [] }
    }

    private let condition: BoundPredicate
    private let model: Model
    private let place: Place

    init(_ predicate: ObjectPredicate, columns: [DictionaryPlan.Column]) throws(ObjectPredicateError) {
        // The target of an ID whose name is not continued by another name.
        var definitions = [EntityDefinition(name: "End")]
        let names = columns.enumerated().map { ($1.name.split(separator: ".").map(String.init)[...], $0) }
        place = HavingCondition.place(names, columns, &definitions)
        do {
            model = try Model(version: "results", entities: definitions)
        } catch {
            throw ObjectPredicateError("a condition on results needs plain names for them: \(error)", keyPath: "having")
        }
        guard let entity = model.entity(named: place.entity) else {
            throw ObjectPredicateError("there are no results", keyPath: "having")
        }
        condition = try predicate.bind(to: entity, in: model)
    }

    func holds(for values: [PropertyValue]) -> Bool { condition.evaluate(on: result(values, place)) }

    private func result(_ values: [PropertyValue], _ place: Place) -> Result {
        let properties = model.entity(named: place.entity)?.properties ?? []
        return Result(
            values: values,
            columns: properties.map { place.columns[$0.name] },
            targets: properties.map { property in place.places[property.name].map { result(values, $0) } }
        )
    }

    private static func place(
        _ names: [(ArraySlice<String>, Int)],
        _ columns: [DictionaryPlan.Column],
        _ definitions: inout [EntityDefinition]
    ) -> Place {
        var definition = EntityDefinition(name: "Result\(definitions.count)")
        let index = definitions.count
        definitions.append(definition)
        var ends: [String: Int] = [:]
        var places: [String: Place] = [:]
        for (name, entries) in Dictionary(grouping: names, by: { $0.0.first ?? "" }).sorted(by: { $0.key < $1.key }) {
            let end = entries.first { $0.0.count <= 1 }?.1
            if let end { ends[name] = end }
            let longer = entries.filter { $0.0.count > 1 }.map { ($0.0.dropFirst(), $0.1) }
            if !longer.isEmpty { places[name] = place(longer, columns, &definitions) }
            if let end, let type = columns[end].type, longer.isEmpty {
                var attribute = Attribute(name: name, type: type)
                attribute.isOptional = true
                definition.attributes.append(attribute)
            } else {
                var relationship = Relationship(name: name, destination: places[name]?.entity ?? "End")
                relationship.isOptional = true
                definition.relationships.append(relationship)
            }
        }
        definitions[index] = definition
        return Place(entity: definition.name, columns: ends, places: places)
    }
}
