public import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObject {
    /// Whether the row has not been read yet.
    public var isFault: Bool { values.isEmpty && state == .clean && !descriptor.defaults.isEmpty }
    /// Whether the object is new in its context.
    public var isInserted: Bool { state == .inserted }
    /// Whether the object has unsaved changes, including objects that were linked to it or unlinked from it.
    public var isUpdated: Bool { state == .updated || isLinkedAnew }
    /// Whether the object is already deleted, or will be deleted by the next save of its context.
    public var isDeleted: Bool {
        guard state == .gone else { return state == .deleted }
        if case .notYetMerged? = faultError { return false }
        return true
    }
    /// Whether a save would include the object, even if only for its links.
    ///
    /// Setting a value or a relationship to its current value changes nothing. Setting another value and then the
    /// former value again is a change; ``hasPersistentChangedValues`` compares with the store.
    public var hasChanges: Bool { isDirty || isLinkedAnew }
    /// Whether the object is new, or has other values or links than the store; deletions are ignored.
    public var hasPersistentChangedValues: Bool {
        guard let context = managedObjectContext else { return false }
        context.checkConfinement()
        switch state {
        case .inserted: return true
        case .clean: return isLinkedAnew
        case .updated:
            return changed.propertyIndexes.contains { row?.values[$0] != values[$0] }
                || context.relationships.hasUnsavedLinks(self)
        case .deleted, .gone, .detached: return false
        }
    }
    var isDirty: Bool { state == .inserted || state == .updated || state == .deleted }
    private var isLinkedAnew: Bool {
        guard state == .clean, let context = managedObjectContext else { return false }
        return context.pending.list.owners.contains(key) && context.relationships.hasUnsavedLinks(self)
    }
    /// The error of the last attempt to read the row or an external value for a property; nil without one.
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

    /// Returns the changed attributes and to-one relationships with their new values, by name.
    ///
    /// For a new object it returns the values that were set, which its insert contains. ``changedObjectIDs()`` returns
    /// to-many relationships.
    public func changedValues() -> [String: PropertyValue] {
        managedObjectContext?.checkConfinement()
        var result: [String: PropertyValue] = [:]
        for propertyIndex in changed.propertyIndexes {
            result[descriptor.entity.properties[propertyIndex].name] = wholeValue(propertyIndex)
        }
        return result
    }

    /// Returns the unsaved relationships that other objects' registers or links have changed, with their IDs, by name.
    ///
    /// They are to-many relationships, and the inverse sides of one-to-one relationships. Changes by delete rules and
    /// changes of only the order are included.
    public func changedObjectIDs() -> [String: [ManagedObjectID]] {
        guard let context = managedObjectContext else { return [:] }
        context.checkConfinement()
        var result: [String: [ManagedObjectID]] = [:]
        for (propertyIndex, property) in descriptor.entity.properties.enumerated() {
            guard case .relationship(let relationship, let storage) = property, storage != .column else { continue }
            let key = RelationshipDelta.Key(self, propertyIndex)
            guard context.pending.delta[key] != nil || context.pending.delta.orderings[key] != nil else { continue }
            result[relationship.name] = context.relationships.relatedIDs(self, propertyIndex)
        }
        return result
    }

    /// Returns former values of attributes and to-one relationships that have changed in the current event, by name.
    ///
    /// The event began with the last ``ManagedObjectContext/processPendingChanges()``; only properties that differ are
    /// included.
    public func changedValuesForCurrentEvent() -> [String: PropertyValue] {
        guard let context = managedObjectContext else { return [:] }
        context.checkConfinement()
        guard event == context.observation.event, eventValues.count == values.count else { return [:] }
        var result: [String: PropertyValue] = [:]
        for propertyIndex in values.indices where eventValues[propertyIndex] != values[propertyIndex] {
            result[descriptor.entity.properties[propertyIndex].name] = whole(eventValues[propertyIndex], propertyIndex)
        }
        return result
    }

    /// Returns the values that were last read from the store or merged; null for properties of a new object.
    ///
    /// - Throws: ``ContextError`` when the entity has no such property.
    public func committedValues(forKeys keys: [String]) throws(ContextError) -> [String: PropertyValue] {
        managedObjectContext?.checkConfinement()
        var result: [String: PropertyValue] = [:]
        fire()
        for key in keys {
            let propertyIndex = try propertyIndex(named: key)
            result[key] = row.map { whole($0.values[propertyIndex], propertyIndex) } ?? .null
        }
        return result
    }

    func makeExtras() -> ObjectExtras {
        if let extras { return extras }
        let made = ObjectExtras()
        extras = made
        return made
    }

    var row: Row? {
        get { rowRevision.map { row(rowValues.isEmpty ? values : rowValues, revision: $0) } }
        set {
            rowRevision = newValue?.revision
            rowValues = newValue?.values ?? []
        }
    }

    func rowValue(_ propertyIndex: Int) -> PropertyValue? {
        let values = rowValues.isEmpty ? values : rowValues
        return rowRevision != nil && values.indices.contains(propertyIndex) ? values[propertyIndex] : nil
    }

    func row(_ values: [PropertyValue], revision: Int64) -> Row {
        Row(
            uniqueID: uniqueID,
            store: descriptor.store,
            entity: descriptor.entity,
            revision: revision,
            values: values
        )
    }

    func replace(_ row: Row) {
        var row = row
        takeValues(of: &row)
        eventValues = []
    }

    func takeValues(of row: inout Row) {
        let kept = values.isEmpty ? [] : descriptor.properties.transientIndexes.map { ($0, values[$0]) }
        rowRevision = row.revision
        rowValues = []
        values = []
        swap(&values, &row.values)
        for (propertyIndex, value) in kept where !value.isNull { set(value, propertyIndex) }
        extras?.forgetReading()
    }

    func set(_ value: PropertyValue, _ propertyIndex: Int) {
        if rowRevision != nil, rowValues.isEmpty { rowValues = values }
        values[propertyIndex] = value
    }

    func turnIntoFault(isTold: Bool = false) {
        let wasLoaded = !values.isEmpty
        if wasLoaded, !isTold { willTurnIntoFault() }
        defer { if wasLoaded { didTurnIntoFault() } }
        row = nil
        values = []
        eventValues = []
        clearChanges()
        extras?.related = [:]
        extras?.forgetReading()
        extras?.wasReported = false
    }

    func detach() {
        managedObjectContext = nil
        dirtyIndex = -1
    }

    var isUnsaved: Bool {
        switch state {
        case .deleted: true
        case .inserted, .updated: !values.isEmpty
        case .clean, .gone, .detached: false
        }
    }

    var unsaved: UnsavedObject? {
        switch state {
        case .deleted: UnsavedObject(row: nil, isInserted: extras?.isUnsaved == true)
        case .inserted, .updated: values.isEmpty ? nil : UnsavedObject(row: image(), isInserted: state == .inserted)
        case .clean, .gone, .detached: nil
        }
    }

    func image(revision: Int64? = nil) -> Row {
        var values = values
        for propertyIndex in descriptor.properties.transientIndexes { values[propertyIndex] = .null }
        return row(values, revision: revision ?? rowRevision ?? 0)
    }
}
