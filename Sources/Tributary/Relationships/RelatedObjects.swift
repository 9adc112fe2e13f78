/// The objects of a to-many relationship, as a sequence whose methods change the relationship itself.
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
/// The cost of ``append(_:)`` does not depend on the number of objects. A property of type `[Employee]` cannot do that: Swift
/// reads the whole array, changes it, and assigns the whole array, so each append costs as much as there are objects.
public struct RelatedObjects<Target: ManagedObject> {
    private let owner: ManagedObject
    private let relationship: ToMany<Target>

    init(_ owner: ManagedObject, _ relationship: ToMany<Target>) {
        self.owner = owner
        self.relationship = relationship
    }

    /// The objects; ordered ones in their order.
    public var array: [Target] { owner[relationship] }

    /// The number of objects.
    public var count: Int { array.count }

    /// Whether there is no object.
    public var isEmpty: Bool { array.isEmpty }

    /// Whether the object is among them; the others are not visited.
    public func contains(_ object: Target) -> Bool { owner.isRelated(relationship.slot(in: owner.kind), to: object) }

    /// Adds an object; to an ordered relationship at the end, one that is in it stays where it is.
    public func append(_ object: Target) { owner.add(object, to: relationship) }

    /// Adds objects one after another.
    public func append(contentsOf objects: some Sequence<Target>) { for object in objects { append(object) } }

    /// Inserts an object into an ordered relationship so that it has the index; one that is in it moves.
    public func insert(_ object: Target, at index: Int) { owner.insert(object, into: relationship, at: index) }

    /// Moves an object of an ordered relationship to the index that it has afterwards.
    public func move(_ object: Target, to index: Int) { owner.move(object, in: relationship, to: index) }

    /// Removes an object; it is not deleted.
    public func remove(_ object: Target) { owner.remove(object, from: relationship) }
}

extension RelatedObjects: Sequence {
    /// Visits the objects as they are when the iteration begins.
    public func makeIterator() -> IndexingIterator<[Target]> { array.makeIterator() }

    /// The number of objects is not known without making them.
    public var underestimatedCount: Int { 0 }
}
