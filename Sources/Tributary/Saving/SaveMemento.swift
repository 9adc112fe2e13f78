import TributaryChanges
import TributaryStore

/// How things stood before a save that is a part of a longer transaction, to be put back when that comes to nothing.
struct SaveMemento {
    struct Entry {
        var object: ManagedObject
        var state: ObjectState
        var isUnsaved: Bool
        var changed: SlotSet
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
}
