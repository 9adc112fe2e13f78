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

    /// Grows with each change that a program makes in the context; a merge does not count.
    ///
    /// A save that has failed is tried again only when it has grown.
    var editCount: UInt64 { context.pending.editCount }

    /// Moves to `generation`, refreshes registered objects, announces inserted ones and marks deleted ones as deleted;
    /// keeps properties that were changed here.
    ///
    /// - Parameters:
    ///   - changes: what others have saved or imported since the generation before; the context's own saves are not
    ///     among them.
    ///   - generation: contains `changes` and the context's own saves.
    func merge(_ changes: ObjectChanges, movingTo generation: Generation) {
        MergeOperation(context: context).merge(changes, movingTo: generation)
    }
}
