public import TributaryChanges
public import TributaryModel
import TributaryStore

extension ManagedObject {
    // MARK: By name

    /// Returns the value of an attribute, or the ID of a to-one relationship as `.reference`.
    ///
    /// Reading never fails: see ``faultError``.
    ///
    /// - Throws: ``ContextError`` when the entity has no such property, or it is to-many.
    public func value(forKey key: String) throws(ContextError) -> PropertyValue {
        let slot = try slot(named: key)
        switch kind.role(slot) {
        case .attribute, .derived: return wholeValue(slot)
        case .toOne: return relatedID(slot).map { .reference($0.uniqueID) } ?? .null
        case .toMany:
            throw ContextError.wrongKind(entity: kind.entity.name, property: key, expected: "an attribute or to-one")
        }
    }

    /// Sets an attribute, or a to-one relationship by `.reference` or `.null`.
    ///
    /// A relationship to an ID without an object reads as nil, until an object with the ID is inserted.
    ///
    /// - Throws: ``ContextError`` when the entity has no such property, it is to-many or derived, the value does not
    ///   fit, or the object is gone; nothing is changed then.
    public func setValue(_ value: PropertyValue, forKey key: String) throws(ContextError) {
        let slot = try slot(named: key)
        switch kind.role(slot) {
        case .attribute(let type):
            guard let value = settable(value, type, slot) else { throw wrongType(key, type.rawValue, value) }
            try checkWritable(slot)
            write(value, slot)
        case .derived: try checkWritable(slot)
        case .toOne: try setTarget(value, slot, key)
        case .toMany:
            throw ContextError.wrongKind(entity: kind.entity.name, property: key, expected: "an attribute or to-one")
        }
    }

    /// Returns the value in the attribute's form, or nil when it does not fit; only composites change their form.
    private func settable(_ value: PropertyValue, _ type: AttributeType, _ slot: Int) -> PropertyValue? {
        if case .composite = type { return kind.entity.properties[slot].attribute?.settable(value) }
        return type.accepts(value) ? value : nil
    }

    private func setTarget(_ value: PropertyValue, _ slot: Int, _ key: String) throws(ContextError) {
        switch value {
        case .null:
            try checkWritable(slot)
            setRelated(nil, slot)
        case .reference(let id):
            guard let context = managedObjectContext else { throw ContextError.detached(objectID) }
            let destination = kind.entity.properties[slot].relationship?.destination ?? ""
            let target = context.object(id, entity: destination)
            if let target { try checkLink(target, slot) }
            setRelated(target, slot)
        default: throw wrongType(key, "an object", value)
        }
    }

    private func wrongType(_ key: String, _ expected: String, _ value: PropertyValue) -> ContextError {
        ContextError.wrongType(entity: kind.entity.name, property: key, expected: expected, found: value.kindName)
    }

    func slot(named key: String) throws(ContextError) -> Int {
        guard let slot = kind.slot(named: key) else {
            throw ContextError.unknownProperty(entity: kind.entity.name, property: key)
        }
        return slot
    }

    // MARK: By slot

    /// Returns the value of an attribute or a to-one register, and fires the fault.
    @inlinable
    func read(_ slot: Int) -> PropertyValue {
        #if DEBUG
            checkRead(slot)
        #endif
        // A fault has no values, so one comparison detects both a fault and an invalid slot.
        return values.indices.contains(slot) ? values[slot] : readSlowly(slot)
    }

    /// Fires the fault and returns the value; an object without values returns the model's default.
    @usableFromInline
    @inline(never)
    func readSlowly(_ slot: Int) -> PropertyValue {
        fire()
        if values.indices.contains(slot) { return values[slot] }
        return kind.defaults.indices.contains(slot) ? kind.defaults[slot] : .null
    }

    /// Reads the row of a fault, also when the fault has unsaved links.
    ///
    /// An object that is gone is not read again.
    func fire() {
        guard values.isEmpty, state == .clean || state == .updated || state == .deleted else { return }
        if let managedObjectContext { FaultLoading(context: managedObjectContext).fire(self) }
    }

    /// Changes an attribute or a to-one register, without regard to inverses.
    @usableFromInline
    func write(_ value: PropertyValue, _ slot: Int) {
        guard slot >= 0, slot < kind.defaults.count else { return }
        checkConfinement(slot)
        if values.isEmpty {
            fire()
            if values.isEmpty { values = kind.defaults }
        }
        guard values[slot] != value else { return }
        // One value may have its bytes, and the other a reference to equal external bytes.
        if values[slot].isBlob || value.isBlob, values[slot].isSame(as: value) { return }
        let context = managedObjectContext
        if let context, event != context.observation.event {
            event = context.observation.event
            eventValues = values
        }
        if let context, context.pending.isFollowingWrites { record(value, slot, context) }
        values[slot] = value
        guard !kind.properties.transients.contains(slot), state != .gone, state != .detached else { return }
        changed.insert(slot)
        context?.recordEdit(of: self)
    }

    /// Records a value for undo and the index of unsaved objects before it changes.
    private func record(_ value: PropertyValue, _ slot: Int, _ context: ManagedObjectContext) {
        context.pending.propertyWillChange(of: self, slot)
        guard let undoStack = context.undoStack, state != .gone else { return }
        UndoRecorder(context: context).recordOrders(self, slot, from: values[slot], to: value)
        undoStack.record(.value(self, slot: slot, old: values[slot]))
    }

    // MARK: Loading

    /// Sets a row's values on an object without changes.
    func fill(from row: Row) {
        let transient = kind.properties.transientSlots.isEmpty ? [] : transientValues()
        self.row = row
        values = row.values
        for (slot, value) in transient { values[slot] = value }
        extras?.forgetReading()
        awakeFromFetch()
    }

    private func transientValues() -> [(Int, PropertyValue)] {
        guard !values.isEmpty else { return [] }
        return kind.properties.transientSlots.map { ($0, values[$0]) }.filter { !$0.1.isNull }
    }

    // MARK: External binaries

    /// Returns the value with its external bytes, which are read once and cached; other values are returned unchanged.
    ///
    /// A reference whose bytes cannot be read is returned unchanged, and the reason is the ``faultError``.
    @usableFromInline
    func whole(_ value: PropertyValue, _ slot: Int) -> PropertyValue {
        guard case .blob = value, let context = managedObjectContext else { return value }
        if let known = extras?.blobs[slot], known.reference == value { return known.value }
        do {
            let whole = try context.store.whole(value)
            makeExtras().blobs[slot] = (value, whole)
            return whole
        } catch {
            let name = kind.entity.properties[slot].name
            FaultLoading(context: context).report(
                .unreadable(objectID, reason: "'\(name)': \(ContextError(error))"),
                of: self
            )
            return value
        }
    }

    /// Returns the value of an attribute or a to-one register with its bytes, and fires the fault.
    func wholeValue(_ slot: Int) -> PropertyValue { whole(read(slot), slot) }

    /// Returns the value with its external bytes.
    ///
    /// - Throws: ``ContextError`` when the bytes cannot be read.
    func wholeOrError(_ value: PropertyValue, _ slot: Int) throws(ContextError) -> PropertyValue {
        let whole = whole(value, slot)
        guard case .blob = whole else { return whole }
        throw faultError ?? .detached(objectID)
    }

    // MARK: Writes that are refused

    // Writes that a save could not keep have no effect: to objects that are gone or detached, links to such objects,
    // and values of derived attributes. Functions that can throw do so at once; for others, the next save reports the
    // write.

    /// Sets an attribute for a typed key.
    @usableFromInline
    func assign(_ value: PropertyValue, _ slot: Int) {
        // An object whose entity is not in the model has no slots.
        guard slot >= 0 else { return }
        switch state {
        case .inserted, .clean, .updated, .deleted:
            guard kind.properties.derivedSlots.contains(slot) else { return write(value, slot) }
        case .gone, .detached: break
        }
        assignRefused(value, slot)
    }

    @inline(never)
    private func assignRefused(_ value: PropertyValue, _ slot: Int) {
        do throws(ContextError) {
            try checkWritable(slot)
            write(value, slot)
        } catch {
            if read(slot) != value { refuse(error, slot) }
        }
    }

    /// Checks that a save can keep a new value of the property.
    ///
    /// - Throws: ``ContextError`` `notFound` (or why the object could not be read) when the object is gone, `detached`,
    ///   or `wrongKind` when the attribute is derived.
    func checkWritable(_ slot: Int) throws(ContextError) {
        guard slot >= 0, !kind.properties.transients.contains(slot) else { return }
        switch state {
        case .inserted, .clean, .updated, .deleted: break
        case .gone: throw faultError ?? .notFound(objectID)
        case .detached: throw .detached(objectID)
        }
        guard kind.properties.derivedSlots.contains(slot) else { return }
        throw .wrongKind(
            entity: kind.entity.name,
            property: kind.entity.properties[slot].name,
            expected: "an attribute that can be set: it is derived"
        )
    }

    /// Checks that the object and the target can be linked.
    ///
    /// A link fails when one of them is deleted or gone, or their context has ended. An object of another context is
    /// looked up by its ID.
    ///
    /// - Throws: ``ContextError`` `notFound`, `notYetMerged`, `unreadable` or `detached`.
    func checkLink(_ target: ManagedObject, _ slot: Int) throws(ContextError) {
        try checkWritable(slot)
        guard state != .deleted else { throw .notFound(objectID) }
        guard let context = managedObjectContext else { return }
        let isForeign = target.managedObjectContext !== context
        let target = isForeign ? context.object(with: target.objectID) : target
        if isForeign { try target.load() }
        switch target.state {
        case .inserted, .clean, .updated: return
        case .deleted: throw .notFound(target.objectID)
        case .gone: throw target.faultError ?? .notFound(target.objectID)
        case .detached: throw .detached(target.objectID)
        }
    }

    /// Keeps an error that a setter cannot throw: for the next save, or on an object that has no context any more.
    func refuse(_ error: ContextError, _ slot: Int) {
        guard kind.entity.properties.indices.contains(slot) else { return }
        guard let context = managedObjectContext else {
            makeExtras().faultError = error
            return
        }
        let rule = kind.properties.derivedSlots.contains(slot) ? ValidationFailure.Rule.derived : .gone
        context.pending.refuse(
            ValidationFailure(
                objectID: objectID,
                property: kind.entity.properties[slot].name,
                rule: rule,
                message: "was set, which had no effect: \(error)"
            )
        )
    }
}

// MARK: Predicates

extension ManagedObject: PredicateSubject {
    package typealias Related = ManagedObject

    package var predicateID: UniqueID { uniqueID }

    package var predicateEntity: String { kind.entity.name }

    package func predicateValue(slot: Int) -> PropertyValue {
        guard kind.entity.properties.indices.contains(slot) else { return .null }
        guard kind.entity.properties[slot].relationship != nil else { return read(slot) }
        // A target that is deleted here is not visible; an ID that is not registered is of an object without changes.
        guard let id = relatedID(slot) else { return .null }
        if managedObjectContext?.registeredObject(for: id)?.state == .deleted { return .null }
        return .reference(id.uniqueID)
    }

    package func predicateTarget(slot: Int) -> ManagedObject? {
        related(slot).flatMap { $0.state == .deleted ? nil : $0 }
    }

    package func predicateTargets(slot: Int) -> [ManagedObject] {
        relatedObjects(slot).filter { $0.state != .deleted }
    }
}

extension ManagedObject: PredicateArgumentConvertible {
    /// The object's ID, for comparison with a relationship or with SELF.
    public var predicateArgument: PredicateArgument { .object(objectID) }
}

extension PropertyValue {
    @inline(__always)
    fileprivate var isBlob: Bool {
        if case .blob = self { true } else { false }
    }
}
