/// The key of a typed to-many relationship: `static let employees = ToMany<Employee>("employees")`.
public final class ToMany<Target: ManagedObject>: Sendable {
    private let cache: PropertyIndexCache

    /// Creates the key of the relationship with the given name.
    public init(_ name: String) {
        cache = PropertyIndexCache(name)
    }

    /// The relationship's name in the model.
    public var name: String { cache.name }

    func propertyIndex(in descriptor: EntityDescriptor) -> Int {
        cache.known(in: descriptor) ?? cache.find(in: descriptor, for: self)
    }
}

extension ToMany: CheckedField {
    func mismatch(in descriptor: EntityDescriptor) -> String? {
        relationship(in: descriptor, isToMany: true, to: Target.self).mismatch
    }
}
