import TributaryChanges

/// Writes that a save could not keep: to objects that are gone or whose context has ended, links to such objects, and
/// values for derived attributes.
///
/// They change nothing. Functions that can throw do so at once; the others leave it to the next save.
extension ManagedObject {
    /// Sets an attribute for a typed key.
    @usableFromInline
    func assign(_ value: PropertyValue, _ slot: Int) {
        // An object whose entity the model does not have has no slots.
        guard slot >= 0 else { return }
        switch state {
        case .inserted, .clean, .updated, .deleted:
            guard kind.derivedSlots.contains(slot) else { return write(value, slot) }
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

    /// Throws when a save could not keep what is set.
    ///
    /// - Throws: ``ContextError`` `notFound` (or why the object could not be read) when the object is gone, `detached`, or
    ///   `wrongKind` when the attribute is derived.
    func checkWritable(_ slot: Int) throws(ContextError) {
        guard slot >= 0, !kind.transients.contains(slot) else { return }
        switch state {
        case .inserted, .clean, .updated, .deleted: break
        case .gone: throw faultError ?? .notFound(objectID)
        case .detached: throw .detached(objectID)
        }
        guard kind.derivedSlots.contains(slot) else { return }
        throw .wrongKind(
            entity: kind.entity.name,
            property: kind.entity.properties[slot].name,
            expected: "an attribute that can be set: it is derived"
        )
    }

    /// Throws when the two cannot be linked: one of them is deleted or gone, or their context has ended.
    ///
    /// An object of another context is looked up by its ID.
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
        let rule = kind.derivedSlots.contains(slot) ? ValidationFailure.Rule.derived : .gone
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
