// Typed properties: keys of a class, the Swift types of their values, and transformers.

public import Synchronization
import TributaryModel

/// The key of a typed attribute: `static let name = Field<String>("name")` in a subclass of ``ManagedObject``.
///
/// An attribute that is optional in the model is a `Field` of an optional type. The attribute's name is resolved once.
public final class Field<Value: FieldValue>: Sendable {
    @usableFromInline let cache: PropertyIndexCache

    /// Creates the key of the attribute with the given name.
    ///
    /// - Parameters:
    ///   - name: The attribute's name in the model.
    ///   - accessor: The name of the key in the class, if it differs; see ``FieldAccess``.
    public init(_ name: String, accessor: String? = nil) {
        cache = PropertyIndexCache(name, accessor)
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
    var accessor: String { cache.accessor }

    func mismatch(in descriptor: EntityDescriptor) -> String? {
        let found = attribute(in: descriptor)
        guard case .property(let attribute) = found else { return found.mismatch }
        return Value.mismatch(with: attribute)
    }
}

extension FieldValue {
    static func mismatch(with attribute: Attribute) -> String? {
        guard attribute.type.accepts(Present.zeroField.fieldValue) else {
            return "'\(attribute.name)' is of the type \(attribute.type.rawValue), which takes no \(Present.self)"
        }
        // A Swift type with fewer bits reads values that it cannot hold as 0, or rounds them.
        let isCounter = attribute.mergeRule == .counter
        var bounds: [PropertyValue] = isCounter ? [.double(.greatestFiniteMagnitude)] : []
        if let range = attribute.valueType.integerRange {
            bounds = [.integer(range.lowerBound), .integer(range.upperBound)]
        }
        guard isCounter || Present.self is any FixedWidthInteger.Type, !Present.holds(bounds) else { return nil }
        guard isCounter else {
            return "'\(attribute.name)' is of the type \(attribute.type.rawValue), more than \(Present.self) holds"
        }
        return "'\(attribute.name)' is a counter, and its total may be more than \(Present.self) holds: declare it as "
            + "\(Property.attribute(attribute).key(to: ManagedObject.self))"
    }

    private static func holds(_ values: [PropertyValue]) -> Bool {
        values.allSatisfy { Self(fieldValue: $0)?.fieldValue == $0 }
    }
}

/// The key of a typed to-one relationship: `static let department = ToOne<Department>("department")`.
public final class ToOne<Target: ManagedObject>: Sendable {
    private let cache: PropertyIndexCache

    /// Creates the key of the relationship with the given name.
    ///
    /// - Parameters:
    ///   - name: The relationship's name in the model.
    ///   - accessor: The name of the key in the class, if it differs; see ``FieldAccess``.
    public init(_ name: String, accessor: String? = nil) {
        cache = PropertyIndexCache(name, accessor)
    }

    /// The relationship's name in the model.
    public var name: String { cache.name }

    func propertyIndex(in descriptor: EntityDescriptor) -> Int {
        cache.known(in: descriptor) ?? cache.find(in: descriptor, for: self)
    }
}

extension ToOne: CheckedField {
    var accessor: String { cache.accessor }

    func mismatch(in descriptor: EntityDescriptor) -> String? {
        relationship(in: descriptor, isToMany: false, to: Target.self).mismatch
    }
}

/// The key of a typed to-many relationship: `static let employees = ToMany<Employee>("employees")`.
public final class ToMany<Target: ManagedObject>: Sendable {
    private let cache: PropertyIndexCache

    /// Creates the key of the relationship with the given name.
    ///
    /// - Parameters:
    ///   - name: The relationship's name in the model.
    ///   - accessor: The name of the key in the class, if it differs; see ``FieldAccess``.
    public init(_ name: String, accessor: String? = nil) {
        cache = PropertyIndexCache(name, accessor)
    }

    /// The relationship's name in the model.
    public var name: String { cache.name }

    func propertyIndex(in descriptor: EntityDescriptor) -> Int {
        cache.known(in: descriptor) ?? cache.find(in: descriptor, for: self)
    }
}

extension ToMany: CheckedField {
    var accessor: String { cache.accessor }

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

@usableFromInline
struct PropertyIndexCache: ~Copyable, Sendable {
    let name: String
    let accessor: String
    /// Serial and property index; an index of all ones means that the entity lacks the property.
    @usableFromInline let cached = Atomic<UInt64>(0)
    private let fitting = Mutex<Set<UInt32>>([])
    private static let remembered = 4096

    init(_ name: String, _ accessor: String?) {
        self.name = name
        self.accessor = accessor ?? name
    }

    @inlinable
    func known(in descriptor: EntityDescriptor) -> Int? {
        let known = cached.load(ordering: .relaxed)
        guard UInt32(truncatingIfNeeded: known >> 32) == descriptor.serial else { return nil }
        return Int(Int32(truncatingIfNeeded: known))
    }

    /// A key that does not fit the entity stops the program, because values that are written through it would be lost.
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
