package import TributaryChanges
package import TributaryStore

/// The interface of the main context that the merge pipeline uses.
///
/// All calls come on the main actor, without the write lock.
@MainActor
package protocol MainContextMerging: AnyObject {
    /// Whether a save would write or reject anything.
    var hasChanges: Bool { get }

    /// Grows with each change that a program makes in the context; a merge does not count.
    ///
    /// A save that has failed is tried again only when it has grown.
    var editCount: UInt64 { get }

    /// Moves to `generation`, which refreshes, announces or marks as deleted the changed objects.
    ///
    /// It refreshes registered objects, announces inserted ones, marks deleted ones as deleted, and keeps properties
    /// that were changed here.
    ///
    /// - Parameters:
    ///   - changes: what others have saved or imported since the generation before; the context's own saves are not
    ///     among them.
    ///   - generation: contains `changes` and the context's own saves.
    func merge(_ changes: ObjectChanges, movingTo generation: Generation)

    /// Moves to `generation` before the context's own save is announced.
    ///
    /// No observer may see the objects after the save with the rows before it. A merge follows.
    func setGeneration(_ generation: Generation)

    /// Saves through `MergePipeline.commitMain`.
    func save() throws

    /// Removes all objects, because the store is about to be closed.
    func reset()
}
