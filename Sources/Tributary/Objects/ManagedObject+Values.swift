public import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObject {
    // MARK: By name

    /// The value of an attribute, or the ID of a to-one relationship as `.reference`.
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
    /// An ID that no object has reads as nil, until an object with the ID comes.
    ///
    /// - Throws: ``ContextError`` when the entity has no such property, it is to-many or derived, the value does not fit, or
    ///   the object is gone; nothing is changed then.
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

    /// The value as the attribute has it, nil when it does not fit; only a composite is put into another form.
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

    /// The value of an attribute or a to-one register; fires the fault.
    @inlinable
    func read(_ slot: Int) -> PropertyValue {
        #if DEBUG
            checkRead(slot)
        #endif
        // A fault has no values, so one comparison finds both that and a slot that is none.
        return values.indices.contains(slot) ? values[slot] : readSlowly(slot)
    }

    /// Fires the fault; an object without values reads the model's default.
    @usableFromInline
    @inline(never)
    func readSlowly(_ slot: Int) -> PropertyValue {
        fire()
        if values.indices.contains(slot) { return values[slot] }
        return kind.defaults.indices.contains(slot) ? kind.defaults[slot] : .null
    }

    /// Reads the row of a fault, also of one that was linked before it was read; an object whose row is gone stays as it
    /// is.
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
        // The same bytes may lie beside the store on one side only.
        if values[slot].isBlob || value.isBlob, values[slot].isSame(as: value) { return }
        let context = managedObjectContext
        if let context, event != context.observation.event {
            event = context.observation.event
            eventValues = values
        }
        if let context, context.pending.isFollowingWrites { record(value, slot, context) }
        values[slot] = value
        guard !kind.transients.contains(slot), state != .gone, state != .detached else { return }
        changed.insert(slot)
        context?.recordEdit(of: self)
    }

    /// Keeps what undo and the index of unsaved objects want to know of a value before it changes.
    private func record(_ value: PropertyValue, _ slot: Int, _ context: ManagedObjectContext) {
        context.pending.propertyWillChange(of: self, slot)
        guard let undoStack = context.undoStack, state != .gone else { return }
        UndoRecorder(context: context).recordOrders(self, slot, from: values[slot], to: value)
        undoStack.record(.value(self, slot: slot, old: values[slot]))
    }

    // MARK: Loading

    /// Takes a row's values; the object must have no changes.
    func fill(from row: Row) {
        let transient = kind.transientSlots.isEmpty ? [] : transientValues()
        self.row = row
        values = row.values
        for (slot, value) in transient { values[slot] = value }
        extras?.forgetReading()
        awakeFromFetch()
    }

    private func transientValues() -> [(Int, PropertyValue)] {
        guard !values.isEmpty else { return [] }
        return kind.transientSlots.map { ($0, values[$0]) }.filter { !$0.1.isNull }
    }
}

extension PropertyValue {
    @inline(__always)
    fileprivate var isBlob: Bool {
        if case .blob = self { true } else { false }
    }
}
