import Synchronization
package import TributaryStore

package final class ContextHome: Sendable {
    package let store: Store
    package let schema: ObjectSchema
    let pipeline: MergePipeline
    let viewContextUse = ExclusiveResource(name: "the view context")
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

final class ContextDirectory: Sendable {
    private struct Entry: Sendable {
        weak var context: (any EndingContext)?
    }

    private struct State {
        var entries: [Entry] = []
        var sweepAt = 64
    }

    private let state = Mutex(State())

    func add(_ context: any EndingContext) {
        state.withLock { state in
            state.entries.append(Entry(context: context))
            guard state.entries.count >= state.sweepAt else { return }
            state.entries.removeAll { $0.context == nil }
            state.sweepAt = max(64, state.entries.count * 2)
        }
    }

    func endAll() async {
        for context in state.withLock({ $0.entries.compactMap(\.context) }) { await context.end() }
    }
}

protocol EndingContext: AnyObject, Sendable {
    func end() async
}
