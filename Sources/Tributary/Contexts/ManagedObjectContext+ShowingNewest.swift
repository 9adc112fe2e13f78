import TributaryChanges
import TributaryStore

extension ManagedObjectContext {
    /// Moves a context that shows a generation to what is newest, as its save would have done had it written anything.
    ///
    /// - Returns: What was merged on the way.
    @discardableResult
    func showNewest() throws -> ObjectChanges {
        guard let generation else { return ObjectChanges() }
        guard isMain else {
            guard generation.number < (try store.read { try $0.newestTransaction() }) else { return ObjectChanges() }
            return try pinNewest()
        }
        let pipeline = home.pipeline
        return try MainActor.assumeIsolated { try pipeline.showNewest() }
    }
}

extension SavePlan {
    /// Whether an object of the store is what others have made of it, and not what the context has.
    var hasLost: Bool {
        outcomes.contains { object, outcome in
            switch outcome {
            case .written: false
            case .reread, .dropped, .gone: object.extras?.isUnsaved != true
            }
        }
    }
}

extension MergePipeline {
    /// Moves the main context to what is newest and merges everything up to it.
    @MainActor
    func showNewest() throws -> ObjectChanges {
        let step = try store.inTurn { try move($0) }
        main.collected.formUnion(step.changes)
        main.context?.show(step.generation)
        main.context?.merge(step.changes, movingTo: step.generation)
        if !main.isCollecting { postUpdate() }
        return step.changes
    }
}
