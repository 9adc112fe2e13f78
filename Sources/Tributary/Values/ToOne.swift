/// The key of a typed to-one relationship: `static let department = ToOne<Department>("department")`.
public final class ToOne<Target: ManagedObject>: Sendable {
    private let cache: SlotCache

    /// The key of the relationship with the given name.
    public init(_ name: String) {
        cache = SlotCache(name)
    }

    /// The relationship's name in the model.
    public var name: String { cache.name }

    func slot(in kind: ObjectKind) -> Int { cache.known(in: kind) ?? cache.find(in: kind, for: self) }
}

extension ToOne: CheckedField {
    func mismatch(in kind: ObjectKind) -> String? {
        relationship(in: kind, isToMany: false, to: Target.self).mismatch
    }
}

extension ManagedObject {
    /// The object at the other end of a to-one relationship; setting it keeps the inverse in step at once.
    ///
    /// The key names the class of the relationship's destination, or one of its superclasses.
    ///
    /// A link of or to an object that is deleted or gone is not made: the next save throws a ``ValidationError`` that names
    /// it.
    public subscript<Target: ManagedObject>(relationship: ToOne<Target>) -> Target? {
        get { related(relationship.slot(in: kind)) as? Target ?? kind.probe?.target(Target.self) }
        set { assignRelated(newValue, relationship.slot(in: kind)) }
    }
}
