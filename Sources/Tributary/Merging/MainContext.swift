package import TributaryChanges
package import TributaryStore

/// The view context behind the interface that the merge pipeline uses.
///
/// It keeps the context on the main actor.
@MainActor
package final class MainContext: MainContextMerging {
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

    package var hasChanges: Bool { context.hasChanges || !context.pending.refusedWrites.isEmpty }

    package var editCount: UInt64 { context.pending.editCount }

    package func merge(_ changes: ObjectChanges, movingTo generation: Generation) {
        MergeOperation(context: context).merge(changes, movingTo: generation)
    }

    package func setGeneration(_ generation: Generation) { context.generation = generation }

    package func save() throws { try context.save() }

    package func reset() {
        context.close()
    }
}
