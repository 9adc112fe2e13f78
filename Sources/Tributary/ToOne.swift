/// The key of a typed to-one relationship: `static let department = ToOne<Department>("department")`.
public final class ToOne<Target: ManagedObject>: Sendable {
    private let cache: SlotCache

    /// The key of the relationship with the given name.
    public init(_ name: String) {
        cache = SlotCache(name)
    }

    /// The relationship's name in the model.
    public var name: String { cache.name }

    func slot(in kind: ObjectKind) -> Int { cache.slot(in: kind) }
}

extension ManagedObject {
    /// The object at the other end of a to-one relationship; setting it keeps the inverse in step at once.
    ///
    /// Nil also when the object there is not of the class that the key names.
    public subscript<Target: ManagedObject>(relationship: ToOne<Target>) -> Target? {
        get { related(relationship.slot(in: kind)) as? Target ?? kind.probe?.target(Target.self) }
        set { setRelated(newValue, relationship.slot(in: kind)) }
    }
}
