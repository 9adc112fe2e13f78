public import TributaryChanges

extension ManagedObject {
    /// Reads or sets an attribute by its typed key.
    ///
    /// Reading never fails: see ``faultError``. A mandatory attribute that was never set reads as the type's zero;
    /// saving it without a value is a validation error.
    ///
    /// Setting an attribute of an object that is gone, or a derived attribute, changes nothing: the next save throws a
    /// ``ValidationError`` that names it. An object without a context is never saved: its ``faultError`` has the error.
    @inlinable
    public subscript<Value: FieldValue>(field: Field<Value>) -> Value {
        get { self.field(at: field.propertyIndex(in: descriptor)) }
        set { assign(newValue.fieldValue, field.propertyIndex(in: descriptor)) }
    }

    @inlinable
    @inline(__always)
    func field<Value: FieldValue>(at propertyIndex: Int) -> Value {
        #if DEBUG
            checkRead(propertyIndex)
        #endif
        // The value is read in place, unlike in `read`, because copying it costs more.
        guard values.indices.contains(propertyIndex) else { return wholeField(propertyIndex) }
        if case .blob = values[propertyIndex] { return wholeField(propertyIndex) }
        return Value(fieldValue: values[propertyIndex]) ?? Value.zeroField
    }

    @usableFromInline
    @inline(never)
    func wholeField<Value: FieldValue>(_ propertyIndex: Int) -> Value {
        Value(fieldValue: wholeValue(propertyIndex)) ?? Value.zeroField
    }

    /// The object at the other end of a to-one relationship; setting it updates the inverse at once.
    ///
    /// The key names the class of the relationship's destination, or one of its superclasses.
    ///
    /// A link of or to an object that is deleted or gone has no effect: the next save throws a ``ValidationError`` that
    /// names it.
    public subscript<Target: ManagedObject>(relationship: ToOne<Target>) -> Target? {
        get { related(relationship.propertyIndex(in: descriptor)) as? Target ?? descriptor.probe?.target(Target.self) }
        set { assignRelated(newValue, relationship.propertyIndex(in: descriptor)) }
    }

    /// The objects at the other end of a to-many relationship, each once, in order only when it is ordered.
    ///
    /// Setting it updates the inverses at once. A link of or to an object that is deleted or gone has no effect: the
    /// next save throws a ``ValidationError`` that names it. An `append` or `+=` visits only the new objects while
    /// nothing else changes the relationship; it compares the addresses of the others, 8 bytes each. Your own property
    /// keeps this advantage with the accessor `_modify { yield &self[Department.employees] }`: without it, Swift copies
    /// the array.
    public subscript<Target: ManagedObject>(relationship: ToMany<Target>) -> [Target] {
        get { members(relationship.propertyIndex(in: descriptor)) }
        set { assignMembers(newValue, relationship.propertyIndex(in: descriptor)) }
        _modify {
            let propertyIndex = relationship.propertyIndex(in: descriptor)
            var access: MemberAccess<Target> = changeMembers(propertyIndex)
            defer { finish(&access, propertyIndex) }
            yield &access.objects
        }
    }

    /// Adds an object to a to-many relationship.
    public func add<Target: ManagedObject>(_ object: Target, to relationship: ToMany<Target>) {
        assignLinked(true, object, relationship.propertyIndex(in: descriptor))
    }

    /// Removes an object from a to-many relationship.
    public func remove<Target: ManagedObject>(_ object: Target, from relationship: ToMany<Target>) {
        assignLinked(false, object, relationship.propertyIndex(in: descriptor))
    }

    // MARK: IDs and bytes

    /// The ID of the object at the other end of a to-one relationship; the object itself is not read.
    ///
    /// Setting it updates the inverse at once.
    public subscript<Target: ManagedObject>(idOf relationship: ToOne<Target>) -> ManagedObjectID? {
        get { relatedID(relationship.propertyIndex(in: descriptor)) }
        set {
            assignRelated(
                newValue.flatMap { managedObjectContext?.object(with: $0) },
                relationship.propertyIndex(in: descriptor)
            )
        }
    }

    /// Reads an attribute by its typed key as another type of its values, such as a transformable's bytes.
    ///
    /// The program stops when the key or the type does not fit the attribute.
    public subscript<Value: FieldValue, Other: FieldValue>(field: Field<Value>, as type: Other.Type) -> Other {
        get { Other(fieldValue: wholeValue(propertyIndex(field, as: type))) ?? Other.zeroField }
        set { assign(newValue.fieldValue, propertyIndex(field, as: type)) }
    }

    private func propertyIndex<Other: FieldValue>(_ field: Field<some FieldValue>, as type: Other.Type) -> Int {
        let propertyIndex = field.propertyIndex(in: descriptor)
        if propertyIndex >= 0, let attribute = descriptor.entity.properties[propertyIndex].attribute,
            let reason = Other.mismatch(with: attribute)
        {
            let access = "is read or written as \(Other.self), but \(reason)"
            fatalError(FieldProblem(field, in: descriptor, reason: access).description)
        }
        return propertyIndex
    }

    // MARK: Keys of a class

    static func isKind(of other: ManagedObject.Type) -> Bool {
        var type: AnyClass? = self
        while let current = type {
            if current == other { return true }
            type = _getSuperclass(current)
        }
        return false
    }

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
