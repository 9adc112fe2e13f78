import TributaryChanges
import TributaryStore

/// The state of a context before a save that joins a longer transaction; it is restored when the transaction fails.
struct SaveMemento {
    struct Entry {
        var object: ManagedObject
        var state: ObjectState
        var isUnsaved: Bool
        var changed: PropertyIndexSet
        var row: Row?
        var values: [PropertyValue]

        init(_ object: ManagedObject) {
            self.object = object
            state = object.state
            isUnsaved = object.extras?.isUnsaved == true
            changed = object.changed
            row = object.row
            values = object.values
        }
    }

    var entries: [Entry]
    var delta: RelationshipDelta
    var lostConflicts: [MergeConflict]
    var lastSaveToken: HistoryToken?

    init(of context: ManagedObjectContext, _ plan: SavePlan) {
        entries = plan.results.map { Entry($0.object) }
        delta = context.pending.delta
        lostConflicts = context.pending.lostConflicts
        lastSaveToken = context.lastSaveToken
    }
}
