public import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObject {
    /// Whether the row has not been read yet.
    public var isFault: Bool { values.isEmpty && state == .clean && !kind.defaults.isEmpty }
    /// Whether the object is new in its context.
    public var isInserted: Bool { state == .inserted }
    /// Whether the object has changes that are not saved; others that were linked to it, or are no more, count too.
    public var isUpdated: Bool { state == .updated || isLinkedAnew }
    /// Whether the object is deleted: by the next save of its context, or already, here or elsewhere.
    public var isDeleted: Bool {
        guard state == .gone else { return state == .deleted }
        if case .notYetMerged? = faultError { return false }
        return true
    }
    /// Whether a save would include the object, be it for links only.
    ///
    /// Setting a value or a relationship to what it is already changes nothing. Setting another value and then the former
    /// one again is a change: ``hasPersistentChangedValues`` tells.
    public var hasChanges: Bool { isDirty || isLinkedAnew }
    /// Whether the object is new, or has other values or links than the store says; a deletion is none.
    public var hasPersistentChangedValues: Bool {
        guard let context = managedObjectContext else { return false }
        context.checkConfinement()
        switch state {
        case .inserted: return true
        case .clean: return isLinkedAnew
        case .updated:
            return changed.slots.contains { row?.values[$0] != values[$0] }
                || context.relationships.hasUnsavedLinks(self)
        case .deleted, .gone, .detached: return false
        }
    }
    /// Whether the object is in its context's list of unsaved changes.
    var isDirty: Bool { state == .inserted || state == .updated || state == .deleted }
    /// Whether only the other ends of its relationships have changed.
    private var isLinkedAnew: Bool {
        guard state == .clean, let context = managedObjectContext else { return false }
        return context.pending.isOwner(key) && context.relationships.hasUnsavedLinks(self)
    }
    /// Why the row, or a value that lies beside the store, could not be read when a property was; nil when nothing went
    /// wrong.
    public var faultError: ContextError? { extras?.faultError }

    /// Reads the row of a fault; does nothing when it has been read.
    ///
    /// - Throws: ``ContextError`` `notFound`, `notYetMerged`, `unreadable` or `detached`.
    public func load() throws(ContextError) {
        managedObjectContext?.checkConfinement()
        switch state {
        case .inserted: return
        case .gone: throw faultError ?? .notFound(objectID)
        case .detached: throw .detached(objectID)
        case .clean, .updated, .deleted:
            guard values.isEmpty, let context = managedObjectContext else { return }
            try FaultLoading(context: context).load(self)
        }
    }

    /// The changed attributes and to-one relationships with their new values, by name; those of a new object that differ
    /// from the model's defaults.
    ///
    /// To-many relationships are in ``changedObjectIDs()``.
    public func changedValues() -> [String: PropertyValue] {
        managedObjectContext?.checkConfinement()
        var result: [String: PropertyValue] = [:]
        for slot in changed.slots { result[kind.entity.properties[slot].name] = wholeValue(slot) }
        return result
    }

    /// The relationships that others' registers or links have changed and that are not saved, with the IDs that they hold now,
    /// by name: to-many ones, and the derived side of a one-to-one.
    ///
    /// What only delete rules or an order have changed counts as well.
    public func changedObjectIDs() -> [String: [ManagedObjectID]] {
        guard let context = managedObjectContext else { return [:] }
        context.checkConfinement()
        var result: [String: [ManagedObjectID]] = [:]
        for (slot, property) in kind.entity.properties.enumerated() {
            guard case .relationship(let relationship, let storage) = property, storage != .column else { continue }
            let key = RelationshipDelta.Key(self, slot)
            guard context.pending.delta[key] != nil || context.pending.delta.orderings[key] != nil else { continue }
            result[relationship.name] = context.relationships.relatedIDs(self, slot)
        }
        return result
    }

    /// The values before the changes that were made since ``ManagedObjectContext/processPendingChanges()``, by name; only
    /// of attributes and to-one relationships that differ.
    public func changedValuesForCurrentEvent() -> [String: PropertyValue] {
        guard let context = managedObjectContext else { return [:] }
        context.checkConfinement()
        guard event == context.observation.event, eventValues.count == values.count else { return [:] }
        var result: [String: PropertyValue] = [:]
        for slot in values.indices where eventValues[slot] != values[slot] {
            result[kind.entity.properties[slot].name] = whole(eventValues[slot], slot)
        }
        return result
    }

    /// The values as last read from the store or merged; null for properties of a new object.
    ///
    /// - Throws: ``ContextError`` when the entity has no such property.
    public func committedValues(forKeys keys: [String]) throws(ContextError) -> [String: PropertyValue] {
        managedObjectContext?.checkConfinement()
        var result: [String: PropertyValue] = [:]
        fire()
        for key in keys {
            let slot = try slot(named: key)
            result[key] = row.map { whole($0.values[slot], slot) } ?? .null
        }
        return result
    }

    func makeExtras() -> ObjectExtras {
        if let extras { return extras }
        let made = ObjectExtras()
        extras = made
        return made
    }

    // MARK: Rows

    /// Takes a newer row; the object has no changes.
    func replace(_ row: Row) {
        let kept = values.isEmpty ? [] : kind.properties.transientSlots.map { ($0, values[$0]) }
        self.row = row
        values = row.values
        for (slot, value) in kept { values[slot] = value }
        eventValues = []
        extras?.forgetReading()
    }

    /// Forgets the values; they are read again when they are needed.
    ///
    /// The hooks are called only when there was something to forget.
    func turnIntoFault(isTold: Bool = false) {
        let wasLoaded = !values.isEmpty
        if wasLoaded, !isTold { willTurnIntoFault() }
        defer { if wasLoaded { didTurnIntoFault() } }
        row = nil
        values = []
        eventValues = []
        changed.removeAll()
        extras?.related = [:]
        extras?.forgetReading()
        extras?.wasReported = false
    }

    /// Ends the object's life in its context: ID and values stay.
    func detach() {
        managedObjectContext = nil
        dirtyIndex = -1
    }

    // MARK: For children of the context

    /// Whether ``unsaved`` has something.
    var isUnsaved: Bool {
        switch state {
        case .deleted: true
        case .inserted, .updated: !values.isEmpty
        case .clean, .gone, .detached: false
        }
    }

    /// What a child of the object's context sees of it; nil for what is below.
    var unsaved: UnsavedObject? {
        switch state {
        case .deleted: UnsavedObject(row: nil, isInserted: extras?.isUnsaved == true)
        case .inserted, .updated: values.isEmpty ? nil : UnsavedObject(row: image, isInserted: state == .inserted)
        case .clean, .gone, .detached: nil
        }
    }

    /// The object's values as a row.
    var image: Row {
        var values = values
        for slot in kind.properties.transientSlots { values[slot] = .null }
        return Row(id: objectID, entity: kind.entity, revision: row?.revision ?? 0, values: values)
    }
}
