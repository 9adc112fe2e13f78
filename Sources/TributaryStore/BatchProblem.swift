package import TributaryChanges

/// Why a batch was refused; nothing of it was written.
package enum BatchProblem: Error, Hashable, Sendable {
    case unknownEntity(String)
    case abstractEntity(String)
    case unknownProperty(row: Int?, entity: String, property: String)
    /// A property that a batch cannot write: to-many, one-to-one, transient, derived.
    case unwritable(row: Int?, entity: String, property: String, reason: String)
    case wrongType(row: Int?, entity: String, property: String, expected: String, found: PropertyValue)
    case missing(row: Int?, entity: String, property: String)
    case duplicateID(row: Int, ManagedObjectID)
    /// Another object has the row's unique key.
    case constraint(row: Int?, properties: [String], existing: ManagedObjectID)
    case denied(ManagedObjectID, relationship: String, by: ManagedObjectID)
}
