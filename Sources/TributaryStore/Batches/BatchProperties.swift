import TributaryChanges
import TributaryModel

struct BatchProperties {
    let entity: EntityLayout
    let layout: StoreModel

    init(_ name: String, layout: StoreModel, allowsAbstract: Bool) throws {
        guard let entity = layout.entity(named: name) else { throw BatchError.unknownEntity(name) }
        if entity.entity.isAbstract, !allowsAbstract { throw BatchError.abstractEntity(name) }
        self.entity = entity
        self.layout = layout
    }

    var name: String { entity.entity.name }
    var table: TableLayout { layout.tables[entity.table] }

    func propertyIndex(_ property: String, row: Int?) throws -> Int {
        guard let propertyIndex = entity.entity.propertyIndex(named: property) else {
            throw BatchError.unknownProperty(row: row, entity: name, property: property)
        }
        func refused(_ reason: String) -> BatchError {
            .unwritable(row: row, entity: name, property: property, reason: reason)
        }
        switch entity.entity.properties[propertyIndex] {
        case .attribute(let attribute):
            if !attribute.isStored { throw refused("it is not stored") }
            if attribute.derivationExpression != nil { throw refused("it is derived") }
        case .relationship(let relationship, _):
            if relationship.isToMany { throw refused("it is to-many") }
            guard case .column(let column) = entity.places[propertyIndex],
                case .reference(_, false, _) = table.columns[column].kind
            else { throw refused("it is one-to-one") }
        }
        return propertyIndex
    }

    func check(_ value: PropertyValue, propertyIndex: Int, row: Int?) throws -> PropertyValue {
        let property = entity.entity.properties[propertyIndex]
        func wrong(_ expected: String) -> BatchError {
            .wrongType(row: row, entity: name, property: property.name, expected: expected, found: value)
        }
        switch property {
        case .attribute(let attribute):
            if value.isNull, !attribute.isOptional {
                throw BatchError.missing(row: row, entity: name, property: property.name)
            }
            guard attribute.valueType.holds(value) else { throw wrong(attribute.expectation(refusing: value)) }
            // Negative zero becomes zero, because a log does not distinguish the two.
            if case .double(let number) = value { return .double(number + 0) }
            return value
        case .relationship(let relationship, _):
            switch value {
            case .reference: return value
            case .null where relationship.isOptional: return value
            case .null: throw BatchError.missing(row: row, entity: name, property: property.name)
            default: throw wrong("the ID of an object of \(relationship.destination)")
            }
        }
    }

    func isCounter(_ propertyIndex: Int) -> Bool {
        entity.entity.properties[propertyIndex].attribute?.mergeRule == .counter
    }

    func updateWrite(from old: PropertyValue, to new: PropertyValue, propertyIndex: Int) -> PropertyWrite? {
        guard !old.isSame(as: new) else { return nil }
        return entity.entity.properties[propertyIndex].write(from: old, to: new)
    }
}
