import TributaryChanges
import TributaryStore

extension MergePipeline {
    /// Moves the main context to the newest generation and merges everything up to it.
    @MainActor
    func moveToNewest() throws -> ObjectChanges {
        let step = try store.inTurn { try moveGeneration($0) }
        main.collected.formUnion(step.changes)
        main.context?.context.generation = step.generation
        main.context?.merge(step.changes, movingTo: step.generation)
        if !main.isCollecting { postUpdate() }
        return step.changes
    }
}
