import TributaryChanges

/// How a child with a queue of its own reaches its parent: by values, never by objects.
protocol ParentLink: Sendable {
    /// What the parent has not saved, taken on its queue.
    func unsavedState() async -> UnsavedState

    /// Hands the child's saves over, in order; returns what was dropped when the parent has absorbed them.
    func absorb(_ saves: [StagedSave]) async -> [ObjectSnapshot]
}

extension BackgroundContext: ParentLink {
    func unsavedState() async -> UnsavedState {
        await perform { UnsavedState(of: $0) }
    }

    func absorb(_ saves: [StagedSave]) async -> [ObjectSnapshot] {
        await perform { context in saves.flatMap { AbsorbOperation(context: context).absorb($0) } }
    }
}

extension ChildContext: ParentLink {
    func unsavedState() async -> UnsavedState {
        await perform { UnsavedState(of: $0) }
    }

    func absorb(_ saves: [StagedSave]) async -> [ObjectSnapshot] {
        await perform { context in saves.flatMap { AbsorbOperation(context: context).absorb($0) } }
    }
}
