import TributaryChanges
import TributaryStore

/// Large binaries that lie beside the store: the object holds a reference until they are read.
extension ManagedObject {
    /// The value with its bytes, which are read once and kept with the object's values; any value that is no reference as it
    /// is.
    ///
    /// A reference whose bytes cannot be read stays one, and the reason is the ``faultError``.
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
            FaultLoading(context: context).report(.unreadable(objectID, reason: "'\(name)': \(ContextError(error))"), of: self)
            return value
        }
    }

    /// The value of an attribute or a to-one register, with its bytes; fires the fault.
    func wholeValue(_ slot: Int) -> PropertyValue { whole(read(slot), slot) }

    /// The same with an error for bytes that cannot be read.
    func wholeOrError(_ value: PropertyValue, _ slot: Int) throws(ContextError) -> PropertyValue {
        let whole = whole(value, slot)
        guard case .blob = whole else { return whole }
        throw faultError ?? .detached(objectID)
    }
}
