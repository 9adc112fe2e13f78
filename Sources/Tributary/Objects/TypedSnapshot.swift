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

    /// Whose values they are.
    var objectID: ManagedObjectID { get }
    /// The values of the object now.
    init(_ object: Object)
    /// Sets the object's attributes and to-one relationships, but those that are derived.
    func write(to object: Object)
    /// The model's name of the property that a key path leads to; nil when it leads to none.
    static func propertyName(of path: PartialKeyPath<Self>) -> String?
}

extension TypedSnapshot {
    /// No key path has a name unless the type says so.
    public static func propertyName(of path: PartialKeyPath<Self>) -> String? { nil }
}
