/// Turns the keys that a class declares into properties, so that one line declares a property.
///
/// ```swift
/// final class Employee: ManagedObject, FieldAccess {
///     override class var entityName: String { "Employee" }
///     static let name = Field<String>("name")
///     static let boss = ToOne<Employee>("boss")
///     static let projects = ToMany<Project>("projects")
///     override class var declaredFields: [any DeclaredField] { [name, boss, projects] }
/// }
///
/// let ann = try context.insert(Employee.self)
/// ann.name = ann.boss?.name ?? "Ann"
/// ```
///
/// The compiler looks up the key at each use of a property, and knows its type; objects store nothing for it. The
/// container checks the keys of ``ManagedObject/declaredFields`` against the model when it opens. In the methods of the
/// class write `self.name`. A property that the class itself declares takes precedence, so that a class may have both,
/// and properties that the model lacks. In a release build reading a number takes about 45 ns instead of the 13 ns of a
/// property with `get` and `set` that uses the key, because the key is retained meanwhile; writing takes as long.
/// Declare such a property for an attribute that is read in a hot loop.
///
/// Members of ``ManagedObject`` such as `value(forKey:)`, `state` and `description` hide keys of their names. The key
/// of such a property has another name in the class, and specifies it. The container refuses a listed key that is
/// hidden:
///
/// ```swift
/// static let value_ = Field<Double>("value", accessor: "value_")
/// ```
@dynamicMemberLookup
public protocol FieldAccess: ManagedObject {}

extension FieldAccess {
    /// The attribute of a key.
    @inlinable
    @inline(__always)
    public subscript<Value: FieldValue>(dynamicMember path: KeyPath<Self.Type, Field<Value>>) -> Value {
        // Only the property index is needed from here on: holding the key during the access would copy the value.
        get { field(at: Self.self[keyPath: path].propertyIndex(in: descriptor)) }
        set { assign(newValue.fieldValue, Self.self[keyPath: path].propertyIndex(in: descriptor)) }
    }

    /// The to-one relationship of a key.
    public subscript<Target: ManagedObject>(dynamicMember path: KeyPath<Self.Type, ToOne<Target>>) -> Target? {
        get { self[Self.self[keyPath: path]] }
        set { self[Self.self[keyPath: path]] = newValue }
    }

    /// The to-many relationship of a key.
    public subscript<Target: ManagedObject>(dynamicMember path: KeyPath<Self.Type, ToMany<Target>>) -> [Target] {
        get { self[Self.self[keyPath: path]] }
        set { self[Self.self[keyPath: path]] = newValue }
        _modify { yield &self[Self.self[keyPath: path]] }
    }

    /// The transformable attribute of a key.
    public subscript<Value>(dynamicMember path: KeyPath<Self.Type, TransformableField<Value>>) -> Value? {
        get { self[Self.self[keyPath: path]] }
        set { self[Self.self[keyPath: path]] = newValue }
    }
}
