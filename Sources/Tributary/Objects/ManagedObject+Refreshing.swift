import TributaryStore

extension ManagedObject {
    /// Takes a newer row; the object has no changes.
    func replace(_ row: Row) {
        let kept = values.isEmpty ? [] : kind.transientSlots.map { ($0, values[$0]) }
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
}
