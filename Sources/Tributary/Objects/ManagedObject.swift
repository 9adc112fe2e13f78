import Synchronization
public import TributaryChanges
import TributaryStore

/// An object of a context: a row of the store with the unsaved changes of the context.
///
/// An object belongs to one context and stays on its queue or actor; the compiler enforces this. Its ``objectID`` and
/// ``snapshot(include:)`` may leave the queue. Values are read and written through the typed properties of a subclass:
///
/// ```swift
/// final class Employee: ManagedObject {
///     override class var entityName: String { "Employee" }
///     static let name = Field<String>("name")
///     static let department = ToOne<Department>("department")
///     override class var declaredFields: [any DeclaredField] { [name, department] }
///
///     var name: String {
///         get { self[Employee.name] }
///         set { self[Employee.name] = newValue }
///     }
///     var department: Department? {
///         get { self[Employee.department] }
///         set { self[Employee.department] = newValue }
///     }
/// }
/// ```
///
/// or by name with ``value(forKey:)`` and ``setValue(_:forKey:)``.
open class ManagedObject: KeyedObject {
    /// The name of the entity that the class represents; subclasses override it.
    open class var entityName: String { "" }

    /// The keys that the class declares, for the container to check against the model when it opens.
    ///
    /// Swift cannot enumerate the static properties of a class, so the class lists them; a subclass lists its own, not
    /// the properties of its superclass. `tributaryctl model generate` writes the list. A class that lists any key
    /// lists a key for each property of its entity, unless ``declaresEveryProperty`` is false: a missing key is an
    /// error when the container opens. A key that is not listed is checked when it is first used on an object of an
    /// entity, and stops the program if it does not fit.
    open class var declaredFields: [any DeclaredField] { [] }

    /// Whether ``declaredFields`` has a key for each property of the entity, if it has any.
    ///
    /// A class that leaves properties out overrides it with false, for itself and its subclasses.
    open class var declaresEveryProperty: Bool { true }

    // The `@exclusivity(unchecked)` properties below are accessed on the context's queue or actor alone, and only by
    // statements of this module that run no other code: the deinitialization of their values calls no other code. So
    // two accesses never overlap, and the check at run time, which costs more than reading, would find nothing.

    @usableFromInline final let descriptor: EntityDescriptor
    /// The object's UUID, the same in every context and on every machine.
    public final let uniqueID: UniqueID
    /// Nil after the context was reset or its container closed.
    @exclusivity(unchecked) public final internal(set) var managedObjectContext: ManagedObjectContext?
    /// Empty as long as ``values`` are the row's values.
    final var rowValues: [PropertyValue] = []
    @exclusivity(unchecked) @usableFromInline final var values: [PropertyValue] = []
    @exclusivity(unchecked) final var changed = PropertyIndexSet()
    @exclusivity(unchecked) final var eventValues: [PropertyValue] = []
    @exclusivity(unchecked) final var event: UInt64 = 0
    final var rowRevision: Int64?
    /// The state of the object between its context and the store.
    @exclusivity(unchecked) public final private(set) var state: ObjectState = .clean
    @exclusivity(unchecked) final var tablePlace: UInt32 = 0
    @exclusivity(unchecked) final var dirtyIndex = -1
    final var extras: ObjectExtras?

    /// Creates an object for a context; subclasses inherit this and give their own stored properties defaults.
    public required init(_ origin: ObjectOrigin) {
        descriptor = origin.descriptor
        uniqueID = origin.uniqueID
        managedObjectContext = origin.context
    }

    @inline(__always)
    final func setState(_ state: ObjectState, by owner: PendingChanges.StateAccess) { self.state = state }

    deinit {
        guard let registry = managedObjectContext?.registry else { return }
        (state == .gone ? registry.goneTable : registry.table).remove(self)
    }

    /// The ID of the object, which identifies it in any context.
    public var objectID: ManagedObjectID { descriptor.objectID(uniqueID) }

    final var key: ObjectKey { ObjectKey(rootIndex: descriptor.rootIndex, id: uniqueID) }

    @inline(__always)
    final func checkConfinement(_ propertyIndex: Int) {
        #if DEBUG
            checkRead(propertyIndex)
        #endif
    }

    #if DEBUG
        @usableFromInline
        final func checkRead(_ propertyIndex: Int) { managedObjectContext?.queue.check(propertyName(propertyIndex)) }

        private final func propertyName(_ propertyIndex: Int) -> String {
            let entity = descriptor.entity
            return entity.properties.indices.contains(propertyIndex)
                ? "\(entity.name).\(entity.properties[propertyIndex].name)" : entity.name
        }
    #endif

    // MARK: Hooks

    /// Called once after the object is inserted into its context; not after an undo or a child's save inserts it.
    open func awakeFromInsert() {}
    /// Called when a row's values were set on the object, each time that it was a fault.
    open func awakeFromFetch() {}
    /// Called when an operation other than an assignment has changed the object's values.
    ///
    /// Such operations are an undo, a rollback, a refresh and a merge policy. An override updates values that it has
    /// computed from the properties and cached in the object.
    open func awake(from events: SnapshotEvents) {}
    /// Called when the object is about to become a fault; its values can still be read.
    open func willTurnIntoFault() {}
    /// Called when the object has become a fault; reading a value here reads the row again.
    open func didTurnIntoFault() {}
    /// Called before each save that includes the object; may change objects, and is then called again.
    ///
    /// A save calls it for every object before it validates any, and ``didSave()`` for every object after the commit.
    open func willSave() {}
    /// Called after a save that included the object.
    open func didSave() {}
    /// Called when the object is about to be marked as deleted, by a program or by a Cascade rule.
    ///
    /// Its relationships are still unchanged.
    open func prepareForDeletion() {}
    /// Throws when a property must not have this value: by the model's rules for it, or by the rules of an override.
    ///
    /// A save calls it for each attribute that it writes. The property keeps its own value. An override calls `super`
    /// first. In a save, `super` throws nothing: the save has checked the model's rules itself and reports every
    /// failure once.
    ///
    /// - Throws: ``ValidationError``, and ``ContextError`` when the entity has no such property or it is to-many.
    open func validateValue(_ value: PropertyValue, forKey key: String) throws {
        try ObjectRules(object: self).validateRules(of: value, forKey: key)
    }
    /// Throws when the new object is not valid; a save lists the error in its ``ValidationError``.
    ///
    /// It checks the model's rules for all properties of the object, and calls ``validateValue(_:forKey:)`` for each
    /// attribute. An override calls `super` first; in a save `super` throws nothing, as in
    /// ``validateValue(_:forKey:)``.
    ///
    /// - Throws: ``ValidationError``, and ``ContextError`` when the object cannot be read.
    open func validateForInsert() throws { try ObjectRules(object: self).validateProperties() }
    /// Throws when the changed object is not valid.
    ///
    /// It checks all properties, like ``validateForInsert()``; a save checks the changed properties.
    ///
    /// - Throws: ``ValidationError``, and ``ContextError`` when the object cannot be read.
    open func validateForUpdate() throws { try ObjectRules(object: self).validateProperties() }
    /// Throws when the object must not be deleted: a Deny rule forbids it, or an override does.
    ///
    /// The delete rules are not followed to other objects before the object is deleted.
    ///
    /// - Throws: ``ValidationError``, and ``ContextError`` when the object cannot be read.
    open func validateForDelete() throws { try ObjectRules(object: self).validateDeletion() }
}

/// Makes the conformance unavailable for good, so that no subclass can declare it.
@available(*, unavailable, message: "pass the objectID, or a snapshot(), instead")
extension ManagedObject: @unchecked Sendable {}

extension ManagedObject: Hashable {
    /// Returns whether both are the same object of the same context.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

struct ObjectKey: Hashable, Sendable {
    var rootIndex: Int
    var id: UniqueID
}

/// The initial values that a context gives an object; only contexts create one.
public struct ObjectOrigin {
    let descriptor: EntityDescriptor
    let uniqueID: UniqueID
    let context: ManagedObjectContext?
}

/// A change of an object, from ``ManagedObject/updates()``.
public enum ObjectUpdate: Sendable, Hashable {
    /// The object has changed, here or by a merge; the snapshot has its current values, unsaved ones included.
    case changed(ObjectSnapshot)
    /// The object was deleted, here or elsewhere.
    case deleted(ManagedObjectID)
}

/// Few objects need these properties; a separate object keeps the others small.
final class ObjectExtras {
    var faultError: ContextError?
    var wasReported = false
    var isUnsaved = false
    /// A deleted object that had the ID of this new object; a save deletes it first.
    var former: ManagedObject?
    var related: [Int: [ManagedObjectID]] = [:] {
        didSet { members = [:] }
    }
    private var members: [Int: Set<ManagedObjectID>] = [:]
    var blobs: [Int: (reference: PropertyValue, value: PropertyValue)] = [:]
    var counted: [Int: CountedAmount] = [:]

    func isRelated(_ propertyIndex: Int, to id: ManagedObjectID) -> Bool? {
        guard let ids = related[propertyIndex] else { return nil }
        guard ids.count > ObjectExtras.leastMembers else { return ids.contains(id) }
        if let known = members[propertyIndex] { return known.contains(id) }
        let made = Set(ids)
        members[propertyIndex] = made
        return made.contains(id)
    }

    private static let leastMembers = 8

    func forgetReading() {
        faultError = nil
        blobs = [:]
    }
}
