/// The objects of a to-many relationship, as a sequence with methods that change the relationship itself.
///
/// ```swift
/// final class Department: ManagedObject {
///     override class var entityName: String { "Department" }
///     static let employees = ToMany<Employee>("employees")
///     var employees: RelatedObjects<Employee> { objects(of: Department.employees) }
/// }
/// let sales = try context.insert(Department.self)
/// sales.employees.append(employee)
/// ```
/// The cost of ``append(_:)`` does not depend on the number of objects. An append to a property of type `[Employee]`
/// visits only the new object too, but compares the addresses of all others.
public struct RelatedObjects<Target: ManagedObject> {
    private let owner: ManagedObject
    private let relationship: ToMany<Target>

    init(_ owner: ManagedObject, _ relationship: ToMany<Target>) {
        self.owner = owner
        self.relationship = relationship
    }

    /// The objects, in their order when the relationship is ordered.
    public var array: [Target] { owner[relationship] }

    /// The number of objects.
    public var count: Int { array.count }

    /// Whether the relationship has no objects.
    public var isEmpty: Bool { array.isEmpty }

    /// Returns whether the relationship has the object; other objects are not visited.
    public func contains(_ object: Target) -> Bool {
        let propertyIndex = relationship.propertyIndex(in: owner.descriptor)
        return owner.managedObjectContext?.relationships.isRelated(owner, propertyIndex, to: object.objectID) ?? false
    }

    /// Adds an object, at the end of an ordered relationship; an object of the relationship stays at its place.
    public func append(_ object: Target) { owner.add(object, to: relationship) }

    /// Adds objects one after another.
    public func append(contentsOf objects: some Sequence<Target>) { for object in objects { append(object) } }

    /// Inserts an object into an ordered relationship at an index; an object of the relationship moves.
    public func insert(_ object: Target, at index: Int) { owner.insert(object, into: relationship, at: index) }

    /// Moves an object of an ordered relationship to its new index.
    public func move(_ object: Target, to index: Int) { owner.move(object, in: relationship, to: index) }

    /// Removes an object from the relationship; the object is not deleted.
    public func remove(_ object: Target) { owner.remove(object, from: relationship) }
}

extension RelatedObjects: Sequence {
    /// Returns an iterator over the objects at the start of the iteration.
    public func makeIterator() -> IndexingIterator<[Target]> { array.makeIterator() }

    /// Returns 0, because the number is not known without building the list.
    public var underestimatedCount: Int { 0 }
}
