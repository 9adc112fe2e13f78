/// The key of a typed to-many relationship: `static let employees = ToMany<Employee>("employees")`.
public final class ToMany<Target: ManagedObject>: Sendable {
    private let cache: SlotCache

    /// The key of the relationship with the given name.
    public init(_ name: String) {
        cache = SlotCache(name)
    }

    /// The relationship's name in the model.
    public var name: String { cache.name }

    func slot(in kind: ObjectKind) -> Int { cache.known(in: kind) ?? cache.find(in: kind, for: self) }
}

extension ToMany: CheckedField {
    func mismatch(in kind: ObjectKind) -> String? {
        relationship(in: kind, isToMany: true, to: Target.self).mismatch
    }
}

extension ManagedObject {
    /// The objects at the other end of a to-many relationship, each once; ordered ones in their order, others in no
    /// order to rely on.
    ///
    /// Setting it keeps the inverses in step at once. A link of or to an object that is deleted or gone is not made: the
    /// next save throws a ``ValidationError`` that names it. Reading makes the array and setting compares it with what is
    /// there, so `append` through a property of this type costs as much as there are objects; ``objects(of:)`` and
    /// ``add(_:to:)`` change the relationship in place.
    public subscript<Target: ManagedObject>(relationship: ToMany<Target>) -> [Target] {
        get { relatedObjects(relationship.slot(in: kind)).compactMap { $0 as? Target } }
        set { assignRelatedObjects(newValue, relationship.slot(in: kind)) }
    }

    /// Adds an object to a to-many relationship.
    public func add<Target: ManagedObject>(_ object: Target, to relationship: ToMany<Target>) {
        assignLink(object, relationship.slot(in: kind))
    }

    /// Takes an object out of a to-many relationship.
    public func remove<Target: ManagedObject>(_ object: Target, from relationship: ToMany<Target>) {
        assignUnlink(object, relationship.slot(in: kind))
    }
}
