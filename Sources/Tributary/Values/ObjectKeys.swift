/// The properties of a class as typed keys for predicates and sort keys.
///
/// Every static ``Field``, ``ToOne`` and ``ToMany`` of the class is a key, under the constant's own name; nothing more has to
/// be written by hand or generated:
///
/// ```swift
/// final class Employee: ManagedObject {
///     override class var entityName: String { "Employee" }
///     static let name = Field<String>("name")
///     static let salary = Field<Double?>("salary")
///     static let department = ToOne<Department>("department")
///     static let projects = ToMany<Project>("projects")
/// }
///
/// let keys = Employee.keys
/// let rich = keys.salary > 1000 && keys.department.title == "R&D" && !keys.projects.any.title.like("A*")
/// let employees = try context.fetch(Employee.self, predicate: rich, sortKeys: [keys.name.ascending])
/// ```
///
/// What comes out is an `ObjectPredicate`, the same as the format language gives. A key compared with a value of
/// another type does not compile.
@dynamicMemberLookup
public struct ObjectKeys<Root: AnyObject>: Sendable {
    init() {}

    /// An attribute of the class.
    public subscript<Value>(dynamicMember field: KeyPath<Root.Type, Field<Value>>) -> AttributeKey<Root, Value> {
        AttributeKey(path: [Root.self[keyPath: field].name])
    }

    /// A to-one relationship of the class.
    public subscript<Target>(dynamicMember relationship: KeyPath<Root.Type, ToOne<Target>>) -> ToOneKey<Root, Target> {
        ToOneKey(path: [Root.self[keyPath: relationship].name])
    }

    /// A to-many relationship of the class.
    public subscript<Target>(
        dynamicMember relationship: KeyPath<Root.Type, ToMany<Target>>
    ) -> ToManyKey<Root, Target> {
        ToManyKey(path: [Root.self[keyPath: relationship].name])
    }

    /// The object itself, as `SELF` in the format language.
    public var objectID: ToOneKey<Root, ManagedObject> { ToOneKey(path: []) }
}
