public import TributaryModel
package import TributaryStore

/// A store with its main context and as many background contexts as are asked for.
public final class PersistentContainer: Sendable {
    /// The model that the store was opened with.
    public let model: Model
    /// The store's configured name.
    public let name: String
    package let store: Store
    /// What happens between a commit and the main context.
    package let pipeline: MergePipeline

    /// Opens a store at `path`.
    public convenience init(
        name: String,
        path: String,
        model: Model,
        classes: [ManagedObject.Type] = [],
        merging: MergeOptions = MergeOptions()
    ) async throws {
        fatalError("stub")
    }

    /// Builds a container on a store that is open.
    package init(store: Store, classes: [ManagedObject.Type] = [], merging: MergeOptions = MergeOptions()) async throws
    {
        fatalError("stub")
    }

    /// The context of the main actor.
    ///
    /// It shows one generation of the store and moves only when a merge is due.
    @MainActor public var viewContext: ManagedObjectContext { fatalError("stub") }

    /// A context with a queue of its own.
    public func newBackgroundContext(
        name: String? = nil,
        author: String? = nil,
        mergePolicy: MergePolicy = .error
    ) -> BackgroundContext { fatalError("stub") }
}
