import Synchronization
package import TributaryStore

/// The state that the contexts of one container share.
package final class ContextHome: Sendable {
    package let store: Store
    package let schema: ObjectSchema
    let pipeline: MergePipeline
    /// Held while the view context saves, for messages.
    let viewContextUse = ExclusiveResource(name: "the view context")
    /// A weak reference, because the container holds its view context.
    private let owner = Mutex(Owner())

    private struct Owner: Sendable {
        weak var container: PersistentContainer?
    }

    init(store: Store, schema: ObjectSchema, pipeline: MergePipeline) {
        self.store = store
        self.schema = schema
        self.pipeline = pipeline
    }

    var container: PersistentContainer? { owner.withLock { $0.container } }

    func belong(to container: PersistentContainer) {
        owner.withLock { $0.container = container }
    }
}
