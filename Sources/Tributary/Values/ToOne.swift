/// The key of a typed to-one relationship: `static let department = ToOne<Department>("department")`.
public final class ToOne<Target: ManagedObject>: Sendable {
    private let cache: SlotCache

    /// Creates the key of the relationship with the given name.
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
