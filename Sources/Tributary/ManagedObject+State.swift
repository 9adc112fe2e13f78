public import TributaryChanges
import TributaryModel
import TributaryStore

extension ManagedObject {
    /// Whether the row has not been read yet.
    public var isFault: Bool { values.isEmpty && state == .clean && !kind.defaults.isEmpty }
    /// Whether the object is new in its context.
    public var isInserted: Bool { state == .inserted }
    /// Whether the object has changes that are not saved.
    public var isUpdated: Bool { state == .updated }
    /// Whether the object is deleted in its context, not saved yet.
    public var isDeleted: Bool { state == .deleted }
    /// Whether a save would include the object.
    public var hasChanges: Bool { state == .inserted || state == .updated || state == .deleted }
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
            try context.load(self)
        }
    }

    /// The changed attributes and to-one relationships with their new values, by name; those of a new object that differ
    /// from the model's defaults.
    public func changedValues() -> [String: PropertyValue] {
        managedObjectContext?.checkConfinement()
        var result: [String: PropertyValue] = [:]
        for slot in changed.slots { result[kind.entity.properties[slot].name] = wholeValue(slot) }
        return result
    }

    /// The values before the changes that were made since ``ManagedObjectContext/processPendingChanges()``, by name; only
    /// of attributes and to-one relationships that differ.
    public func changedValuesForCurrentEvent() -> [String: PropertyValue] {
        guard let context = managedObjectContext else { return [:] }
        context.checkConfinement()
        guard event == context.event, eventValues.count == values.count else { return [:] }
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
}
