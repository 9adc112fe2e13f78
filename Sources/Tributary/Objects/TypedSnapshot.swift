public import TributaryChanges

/// The values of an object of one class, as a value that may cross contexts and processes.
///
/// `tributaryctl model generate` writes one for each entity, nested in its class. By hand it is:
///
/// ```swift
/// extension Employee {
///     struct Snapshot: TypedSnapshot {
///         var objectID: ManagedObjectID
///         var name: String
///         var departmentID: ManagedObjectID?
///
///         init(_ employee: Employee) {
///             objectID = employee.objectID
///             name = employee.name
///             departmentID = employee[idOf: Employee.department]
///         }
///         func write(to employee: Employee) {
///             employee.name = name
///             employee[idOf: Employee.department] = departmentID
///         }
///     }
/// }
/// ```
///
/// Then `employee.snapshot(as: Employee.Snapshot.self)`, `context.insert(from: snapshot)` and
/// `employee.update(from: snapshot)` work.
public protocol TypedSnapshot: Sendable, Codable, Hashable {
    /// The class of the objects.
    associatedtype Object: ManagedObject

    /// The ID of the object that has the values.
    var objectID: ManagedObjectID { get }
    /// Creates a snapshot of the object's current values.
    init(_ object: Object)
    /// Sets the object's attributes and to-one relationships, except derived attributes.
    func write(to object: Object)
    /// Returns the model's name of the property at a key path, or nil when there is none.
    static func propertyName(of path: PartialKeyPath<Self>) -> String?
}

extension TypedSnapshot {
    /// Returns nil: no key path has a name unless the type implements this function.
    public static func propertyName(of path: PartialKeyPath<Self>) -> String? { nil }
}
