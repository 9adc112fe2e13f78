/// The key of a typed to-many relationship: `static let employees = ToMany<Employee>("employees")`.
public final class ToMany<Target: ManagedObject>: Sendable {
    private let cache: SlotCache

    /// Creates the key of the relationship with the given name.
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
