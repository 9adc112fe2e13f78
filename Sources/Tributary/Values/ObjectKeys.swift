/// The properties of a class as typed keys for predicates and sort keys.
///
/// Every static ``Field``, ``ToOne`` and ``ToMany`` of the class is a key, under the constant's own name, without
/// further declarations or generated code:
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
/// An expression with keys is an `ObjectPredicate`, as the format language creates it. A key compared with a value of
/// another type does not compile.
@dynamicMemberLookup
public struct ObjectKeys<Root: AnyObject>: Sendable {
    init() {}

    /// The key of an attribute of the class.
    public subscript<Value>(dynamicMember field: KeyPath<Root.Type, Field<Value>>) -> AttributeKey<Root, Value> {
        AttributeKey(path: [Root.self[keyPath: field].name])
    }

    /// The key of a to-one relationship of the class.
    public subscript<Target>(dynamicMember relationship: KeyPath<Root.Type, ToOne<Target>>) -> ToOneKey<Root, Target> {
        ToOneKey(path: [Root.self[keyPath: relationship].name])
    }

    /// The key of a to-many relationship of the class.
    public subscript<Target>(
        dynamicMember relationship: KeyPath<Root.Type, ToMany<Target>>
    ) -> ToManyKey<Root, Target> {
        ToManyKey(path: [Root.self[keyPath: relationship].name])
    }

    /// The key of the object itself, `SELF` in the format language.
    public var objectID: ToOneKey<Root, ManagedObject> { ToOneKey(path: []) }
}
