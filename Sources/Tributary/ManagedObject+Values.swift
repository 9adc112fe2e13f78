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
        guard let relationship = kind.entity.properties[slot].relationship else { return wholeValue(slot) }
        guard !relationship.isToMany else {
            throw ContextError.wrongKind(entity: kind.entity.name, property: key, expected: "an attribute or to-one")
        }
        return relatedID(slot).map { .reference($0.uniqueID) } ?? .null
    }

    /// Sets an attribute, or a to-one relationship by `.reference` or `.null`.
    ///
    /// - Throws: ``ContextError`` when the entity has no such property, it is to-many, or the value does not fit.
    public func setValue(_ value: PropertyValue, forKey key: String) throws(ContextError) {
        let slot = try slot(named: key)
        switch kind.entity.properties[slot] {
        case .attribute(let attribute):
            guard attribute.derivationExpression == nil else {
                throw ContextError.wrongKind(
                    entity: kind.entity.name,
                    property: key,
                    expected: "an attribute that can be set: it is derived"
                )
            }
            guard let value = attribute.settable(value) else {
                throw ContextError.wrongType(
                    entity: kind.entity.name,
                    property: key,
                    expected: attribute.type.rawValue,
                    found: value.kindName
                )
            }
            write(value, slot)
        case .relationship(let relationship, _):
            guard !relationship.isToMany else {
                throw ContextError.wrongKind(
                    entity: kind.entity.name,
                    property: key,
                    expected: "an attribute or to-one"
                )
            }
            switch value {
            case .null: setRelated(nil, slot)
            case .reference(let id):
                guard let context = managedObjectContext else { throw ContextError.detached(objectID) }
                setRelated(context.object(id, entity: relationship.destination), slot)
            default:
                throw ContextError.wrongType(
                    entity: kind.entity.name,
                    property: key,
                    expected: "an object",
                    found: value.kindName
                )
            }
        }
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
        if values.isEmpty { fire() }
        return slot >= 0 && slot < values.count ? values[slot] : lastResort(slot)
    }

    /// What an object without values reads: the model's default.
    @usableFromInline
    func lastResort(_ slot: Int) -> PropertyValue {
        slot >= 0 && slot < kind.defaults.count ? kind.defaults[slot] : .null
    }

    /// Reads the row of a fault, also of one that was linked before it was read; an object whose row is gone stays as it
    /// is.
    @usableFromInline
    func fire() {
        guard values.isEmpty, state == .clean || state == .updated || state == .deleted else { return }
        managedObjectContext?.fire(self)
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
        guard !values[slot].isSame(as: value) else { return }
        if let context = managedObjectContext { note(value, slot, context) }
        values[slot] = value
        guard kind.entity.properties[slot].attribute?.isStored ?? true else { return }
        switch state {
        case .inserted, .clean, .updated, .deleted:
            changed.insert(slot)
            managedObjectContext?.noteUpdate(of: self)
        case .gone, .detached: break
        }
    }

    /// Keeps what the event and undo want to know of a value before it changes.
    private func note(_ value: PropertyValue, _ slot: Int, _ context: ManagedObjectContext) {
        if event != context.event {
            event = context.event
            eventValues = values
        }
        guard let undoStack = context.undoStack, state != .gone else { return }
        context.recordOrders(self, slot, from: values[slot], to: value)
        undoStack.record(.value(self, slot: slot, old: values[slot]))
    }

    // MARK: Loading

    /// Takes a row's values; the object must have no changes.
    func take(_ row: Row) {
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
