public import TributaryChanges

extension ManagedObject {
    // MARK: Attributes

    /// Reads or sets an attribute by its typed key.
    ///
    /// Reading never fails: see ``faultError``. A mandatory attribute that was never set reads as the type's zero;
    /// saving it without a value is a validation error.
    ///
    /// Setting an attribute of an object that is gone, or a derived one, changes nothing: the next save throws a
    /// ``ValidationError`` that names it. An object without a context is never saved: its ``faultError`` has the error.
    @inlinable
    public subscript<Value: FieldValue>(field: Field<Value>) -> Value {
        get {
            let slot = field.slot(in: kind)
            #if DEBUG
                checkRead(slot)
            #endif
            // The value is read in place, unlike in `read`, because copying it costs more.
            guard values.indices.contains(slot) else { return wholeField(slot) }
            if case .blob = values[slot] { return wholeField(slot) }
            return Value(fieldValue: values[slot]) ?? Value.zeroField
        }
        set { assign(newValue.fieldValue, field.slot(in: kind)) }
    }

    /// Reads or sets an attribute by its slot.
    @inlinable
    @inline(__always)
    func field<Value: FieldValue>(at slot: Int) -> Value {
        #if DEBUG
            checkRead(slot)
        #endif
        // The value is read in place, unlike in `read`, because copying it costs more.
        guard values.indices.contains(slot) else { return wholeField(slot) }
        if case .blob = values[slot] { return wholeField(slot) }
        return Value(fieldValue: values[slot]) ?? Value.zeroField
    }

    /// Returns an attribute of a fault, or an external value.
    @usableFromInline
    @inline(never)
    func wholeField<Value: FieldValue>(_ slot: Int) -> Value {
        Value(fieldValue: wholeValue(slot)) ?? Value.zeroField
    }

    // MARK: To-one relationships

    /// The object at the other end of a to-one relationship; setting it updates the inverse at once.
    ///
    /// The key names the class of the relationship's destination, or one of its superclasses.
    ///
    /// A link of or to an object that is deleted or gone has no effect: the next save throws a ``ValidationError`` that
    /// names it.
    public subscript<Target: ManagedObject>(relationship: ToOne<Target>) -> Target? {
        get { related(relationship.slot(in: kind)) as? Target ?? kind.probe?.target(Target.self) }
        set { assignRelated(newValue, relationship.slot(in: kind)) }
    }

    // MARK: To-many relationships

    /// The objects at the other end of a to-many relationship, each once, in order only when it is ordered.
    ///
    /// Setting it updates the inverses at once. A link of or to an object that is deleted or gone has no effect: the
    /// next save throws a ``ValidationError`` that names it. Reading builds the array and setting compares it with the
    /// current objects, so the cost of `append` through a property of this type grows with the number of objects;
    /// ``objects(of:)`` and ``add(_:to:)`` change the relationship in place.
    public subscript<Target: ManagedObject>(relationship: ToMany<Target>) -> [Target] {
        get { relatedObjects(relationship.slot(in: kind)).compactMap { $0 as? Target } }
        set { assignRelatedObjects(newValue, relationship.slot(in: kind)) }
    }

    /// Adds an object to a to-many relationship.
    public func add<Target: ManagedObject>(_ object: Target, to relationship: ToMany<Target>) {
        assignLink(object, relationship.slot(in: kind))
    }

    /// Removes an object from a to-many relationship.
    public func remove<Target: ManagedObject>(_ object: Target, from relationship: ToMany<Target>) {
        assignUnlink(object, relationship.slot(in: kind))
    }

    // MARK: IDs and bytes

    /// The ID of the object at the other end of a to-one relationship; the object itself is not read.
    ///
    /// Setting it updates the inverse at once.
    public subscript<Target: ManagedObject>(idOf relationship: ToOne<Target>) -> ManagedObjectID? {
        get { relatedID(relationship.slot(in: kind)) }
        set {
            assignRelated(newValue.flatMap { managedObjectContext?.object(with: $0) }, relationship.slot(in: kind))
        }
    }

    /// Reads an attribute by its typed key as another type of its values, such as a transformable's bytes.
    public subscript<Value: FieldValue, Other: FieldValue>(field: Field<Value>, as type: Other.Type) -> Other {
        get { Other(fieldValue: wholeValue(field.slot(in: kind))) ?? Other.zeroField }
        set { assign(newValue.fieldValue, field.slot(in: kind)) }
    }

    // MARK: Keys of a class

    /// Returns whether the class is the other class or a subclass of it.
    static func isKind(of other: ManagedObject.Type) -> Bool {
        var type: AnyClass? = self
        while let current = type {
            if current == other { return true }
            type = _getSuperclass(current)
        }
        return false
    }

    /// The keys that the class and its superclasses declare, each once.
    static var allDeclaredFields: [any DeclaredField] {
        var result: [any DeclaredField] = []
        var seen: Set<ObjectIdentifier> = []
        var type: AnyClass? = self
        while let current = type as? ManagedObject.Type {
            for field in current.declaredFields where seen.insert(ObjectIdentifier(field as AnyObject)).inserted {
                result.append(field)
            }
            type = _getSuperclass(current)
        }
        return result
    }
}
