package import TributaryChanges
package import TributaryStore

/// What the merge pipeline needs of the main context.
///
/// All calls come on the main actor, without the write lock.
@MainActor
package protocol MainContextMerging: AnyObject {
    /// Whether there is anything that a save would write, or refuse.
    var hasChanges: Bool { get }

    /// Grows with each change that a program makes in the context; a merge does not count.
    ///
    /// A save that has failed is tried again only when it has grown.
    var editCount: UInt64 { get }

    /// Reads at `generation` from now on: refreshes registered objects, announces inserted ones, marks deleted ones,
    /// keeps properties that were changed here.
    ///
    /// - Parameters:
    ///   - changes: what others have saved or imported since the generation before; the context's own saves are not
    ///     among them.
    ///   - generation: contains `changes` and the context's own saves.
    func merge(_ changes: ObjectChanges, movingTo generation: Generation)

    /// Reads at `generation` from now on, before its own save is announced: nobody may see the objects after the save over
    /// the rows before it. A merge follows.
    func setGeneration(_ generation: Generation)

    /// Saves through `MergePipeline.commitMain`.
    func save() throws

    /// Forgets all objects: the store is about to be closed.
    func reset()
}
