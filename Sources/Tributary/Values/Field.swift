// Typed properties: keys of a class, the Swift types of their values, and transformers.

public import Synchronization
import TributaryModel

/// The key of a typed attribute: `static let name = Field<String>("name")` in a subclass of ``ManagedObject``.
///
/// An attribute that is optional in the model is a `Field` of an optional type. The attribute's name is resolved once.
public final class Field<Value: FieldValue>: Sendable {
    @usableFromInline let cache: PropertyIndexCache

    /// Creates the key of the attribute with the given name.
    public init(_ name: String) {
        cache = PropertyIndexCache(name)
    }

    /// The attribute's name in the model.
    public var name: String { cache.name }

    @inlinable
    func propertyIndex(in descriptor: EntityDescriptor) -> Int { cache.known(in: descriptor) ?? find(in: descriptor) }

    @usableFromInline
    @inline(never)
    func find(in descriptor: EntityDescriptor) -> Int { cache.find(in: descriptor, for: self) }
}

extension Field: CheckedField {
    func mismatch(in descriptor: EntityDescriptor) -> String? {
        let found = attribute(in: descriptor)
        guard case .property(let attribute) = found else { return found.mismatch }
        guard attribute.type.accepts(Value.Present.zeroField.fieldValue) else {
            return "'\(name)' is of the type \(attribute.type.rawValue), which takes no \(Value.Present.self)"
        }
        // A Swift type with fewer bits reads values that it cannot hold as 0.
        if let bits = attribute.type.integerBits, let own = Value.Present.self as? any FixedWidthInteger.Type,
            own.bitWidth < bits
        {
            return "'\(name)' is of the type \(attribute.type.rawValue), more than \(Value.Present.self) holds"
        }
        return nil
    }
}

/// The key of a typed to-one relationship: `static let department = ToOne<Department>("department")`.
public final class ToOne<Target: ManagedObject>: Sendable {
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

extension ToOne: CheckedField {
    func mismatch(in descriptor: EntityDescriptor) -> String? {
        relationship(in: descriptor, isToMany: false, to: Target.self).mismatch
    }
}

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

/// The key of a property in a class: ``Field``, ``ToOne``, ``ToMany`` or ``TransformableField``.
///
/// A class lists its keys in ``ManagedObject/declaredFields``, and the container checks them when it opens.
public protocol DeclaredField: Sendable {
    /// The property's name in the model.
    var name: String { get }
}

/// A key of a class that represents no property of the class's entity.
public struct FieldProblem: Hashable, Sendable, CustomStringConvertible {
    /// The class that declares the key.
    public var className: String
    /// The entity of the class.
    public var entity: String
    /// The key as it is declared: `Field<String>("name")`.
    public var field: String
    /// The problem and its remedy.
    public var reason: String

    init(_ field: any DeclaredField, in descriptor: EntityDescriptor, reason: String) {
        className = "\(descriptor.type)"
        entity = descriptor.entity.name
        // `Field<String>`, without the module.
        self.field = "\(type(of: field))(\"\(field.name)\")"
        self.reason = reason
    }

    /// The class, the key, the entity and the problem.
    public var description: String {
        "\(field) of the class \(className) does not fit the entity '\(entity)': \(reason)"
    }
}

protocol CheckedField: DeclaredField {
    /// Returns the reason with a remedy; nil when the key fits.
    func mismatch(in descriptor: EntityDescriptor) -> String?
}

extension CheckedField {
    func attribute(in descriptor: EntityDescriptor) -> CheckedProperty<Attribute> {
        guard let property = descriptor.entity.property(named: name) else { return .mismatch(missing(in: descriptor)) }
        switch property {
        case .attribute(let attribute): return .property(attribute)
        case .relationship(let relationship, _):
            let key = "\(relationship.isToMany ? "ToMany" : "ToOne")<\(relationship.destination)>"
            return .mismatch("'\(name)' is a relationship: declare it as \(key)(\"\(name)\")")
        }
    }

    func relationship(
        in descriptor: EntityDescriptor,
        isToMany: Bool,
        to target: ManagedObject.Type
    ) -> CheckedProperty<Relationship> {
        guard let propertyIndex = descriptor.propertyIndex(named: name),
            descriptor.entity.properties.indices.contains(propertyIndex)
        else {
            return .mismatch(missing(in: descriptor))
        }
        guard let relationship = descriptor.entity.properties[propertyIndex].relationship else {
            let type = descriptor.entity.properties[propertyIndex].attribute?.type.rawValue ?? ""
            return .mismatch("'\(name)' is an attribute of the type \(type): declare it as a Field")
        }
        guard relationship.isToMany == isToMany else {
            let right = relationship.isToMany ? "to-many: declare it as ToMany" : "to-one: declare it as ToOne"
            return .mismatch("'\(name)' is \(right)<\(target)>(\"\(name)\")")
        }
        for (entity, type) in descriptor.properties.targetTypes[propertyIndex] ?? [] where !type.isKind(of: target) {
            let help =
                type == ManagedObject.self
                ? "give the container a class for it" : "its class is \(type), which is no \(target)"
            return .mismatch("'\(name)' leads to objects of the entity '\(entity)', not to \(target): \(help)")
        }
        return .property(relationship)
    }

    private func missing(in descriptor: EntityDescriptor) -> String {
        let names = descriptor.entity.properties.map { "'\($0.name)'" }.sorted()
        let listed = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
        return "the entity has no property '\(name)'; it has \(listed.isEmpty ? "none" : listed)"
    }
}

/// The property that a key represents, or why it represents none.
enum CheckedProperty<Property> {
    case property(Property)
    case mismatch(String)

    var mismatch: String? {
        if case .mismatch(let text) = self { text } else { nil }
    }
}

/// A property's name with a cache of its property index, which is looked up again when the entity descriptor changes.
@usableFromInline
struct PropertyIndexCache: ~Copyable, Sendable {
    let name: String
    /// The descriptor's serial in the upper half, the property index in the lower; a property index of all ones means
    /// that there is none.
    @usableFromInline let cached = Atomic<UInt64>(0)
    private let fitting = Mutex<Set<UInt32>>([])
    /// Beyond it, keys are checked again.
    private static let remembered = 4096

    init(_ name: String) {
        self.name = name
    }

    @inlinable
    func known(in descriptor: EntityDescriptor) -> Int? {
        let known = cached.load(ordering: .relaxed)
        guard UInt32(truncatingIfNeeded: known >> 32) == descriptor.serial else { return nil }
        return Int(Int32(truncatingIfNeeded: known))
    }

    /// Returns -1 when the model does not have the entity; a key that does not fit the entity stops the program,
    /// because values that are written through it would be lost.
    func find(in descriptor: EntityDescriptor, for field: any CheckedField) -> Int {
        if descriptor.isKnown, !fitting.withLock({ $0.contains(descriptor.serial) }) {
            if let reason = field.mismatch(in: descriptor) {
                fatalError(FieldProblem(field, in: descriptor, reason: reason).description)
            }
            fitting.withLock { serials in
                if serials.count >= PropertyIndexCache.remembered { serials.removeAll() }
                serials.insert(descriptor.serial)
            }
        }
        let propertyIndex = Int32(truncatingIfNeeded: descriptor.propertyIndex(named: name) ?? -1)
        cached.store(UInt64(descriptor.serial) << 32 | UInt64(UInt32(bitPattern: propertyIndex)), ordering: .relaxed)
        return Int(propertyIndex)
    }
}
