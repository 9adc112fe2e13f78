import TributaryChanges
import TributaryStore

/// The view context on the main actor, with what the merge pipeline does to it.
///
/// The pipeline calls without the write lock.
@MainActor
final class MainContext {
    let context: ManagedObjectContext

    init(home: ContextHome, generation: Generation) {
        context = ManagedObjectContext(
            home: home,
            name: "view",
            mergePolicy: .objectTrump,
            generation: generation
        )
        context.undoStack = UndoStack()
    }

    /// Whether a save would write or reject anything.
    var hasChanges: Bool { context.hasChanges || !context.pending.refusedWrites.isEmpty }

    /// A save that has failed is tried again only when this has grown; a merge does not count.
    var editCount: UInt64 { context.pending.editCount }

    /// Moves to `generation` and merges the changes of others, but keeps properties that were changed here: refreshes
    /// registered objects, announces inserted ones and marks deleted ones as deleted.
    func merge(_ changes: ObjectChanges, movingTo generation: Generation) {
        MergeOperation(context: context).merge(changes, movingTo: generation)
    }
}
