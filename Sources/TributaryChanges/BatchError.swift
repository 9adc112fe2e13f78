/// An error that ended a batch operation; the store is unchanged.
///
/// `row` is the index of the row, from 0.
public enum BatchError: Error, Hashable, Sendable {
    /// The model has no entity of this name.
    case unknownEntity(String)
    /// The entity is abstract, so it can have no objects of its own.
    case abstractEntity(String)
    /// The entity has no property of this name.
    case unknownProperty(row: Int?, entity: String, property: String)
    /// A batch cannot write the property: it is to-many, one-to-one, transient or derived.
    case unwritable(row: Int?, entity: String, property: String, reason: String)
    /// The value does not fit the property.
    case wrongType(row: Int?, entity: String, property: String, expected: String, found: PropertyValue)
    /// A mandatory property has no value and no default.
    case missing(row: Int?, entity: String, property: String)
    /// A mandatory relationship of the first object names the last one, which does not exist.
    case noTarget(ManagedObjectID, property: String, target: ManagedObjectID)
    /// An object with the row's own ID already exists.
    case duplicateID(row: Int, ManagedObjectID)
    /// Another object has the unique key, and the context's merge policy does not resolve the conflict.
    case constraint(row: Int?, properties: [String], existing: ManagedObjectID)
    /// A Deny rule, or a mandatory reference that Nullify cannot clear, forbids deleting the first object while the last one exists.
    case denied(ManagedObjectID, relationship: String, by: ManagedObjectID)
}

extension BatchError: CustomStringConvertible {
    /// A description of the failure with its position and its reason.
    public var description: String {
        func at(_ row: Int?) -> String { row.map { "row \($0): " } ?? "" }
        return switch self {
        case .unknownEntity(let name): "the model has no entity '\(name)'"
        case .abstractEntity(let name): "the entity '\(name)' is abstract: it has no objects of its own"
        case .unknownProperty(let row, let entity, let property):
            "\(at(row))the entity '\(entity)' has no property '\(property)'"
        case .unwritable(let row, let entity, let property, let reason):
            "\(at(row))a batch cannot write \(entity).\(property): \(reason)"
        case .wrongType(let row, let entity, let property, let expected, let found):
            "\(at(row))\(entity).\(property) takes \(expected), not \(found.kindName)"
        case .missing(let row, let entity, let property):
            "\(at(row))\(entity).\(property) is mandatory and has no value"
        case .noTarget(let id, let property, let target):
            "\(property) of \(id) is mandatory, and \(target) does not exist: set another object"
        case .duplicateID(let row, let id): "row \(row): there is an object \(id) already"
        case .constraint(let row, let properties, let existing):
            "\(at(row))\(existing) has the same \(properties.joined(separator: ", ")), which is unique"
        case .denied(let id, let relationship, let other):
            "\(id) must not be deleted while \(other) is in its '\(relationship)'"
        }
    }
}
