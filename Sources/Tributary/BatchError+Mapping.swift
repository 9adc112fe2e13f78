import TributaryStore

extension BatchError {
    init(_ problem: BatchProblem) {
        self =
            switch problem {
            case .unknownEntity(let name): .unknownEntity(name)
            case .abstractEntity(let name): .abstractEntity(name)
            case .unknownProperty(let row, let entity, let property):
                .unknownProperty(row: row, entity: entity, property: property)
            case .unwritable(let row, let entity, let property, let reason):
                .unwritable(row: row, entity: entity, property: property, reason: reason)
            case .wrongType(let row, let entity, let property, let expected, let found):
                .wrongType(row: row, entity: entity, property: property, expected: expected, found: found)
            case .missing(let row, let entity, let property): .missing(row: row, entity: entity, property: property)
            case .duplicateID(let row, let id): .duplicateID(row: row, id)
            case .constraint(let row, let properties, let existing):
                .constraint(row: row, properties: properties, existing: existing)
            case .denied(let id, let relationship, let other): .denied(id, relationship: relationship, by: other)
            }
    }
}
