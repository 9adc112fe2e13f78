/// A protocol that gives each subclass of ``ManagedObject`` keys of its own; no other class conforms to it.
public protocol KeyedObject: AnyObject {}

extension KeyedObject {
    /// The typed keys of the class, for predicates and sort keys: `Employee.keys.salary > 1000`.
    ///
    /// They are the class's own ``Field``, ``ToOne`` and ``ToMany`` constants and those of its superclasses; see
    /// ``ObjectKeys``.
    public static var keys: ObjectKeys<Self> { ObjectKeys() }
}
