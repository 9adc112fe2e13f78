import TributaryChanges

/// The connection of a child with a queue of its own to its parent: by values, never by objects.
protocol ParentLink: Sendable {
    func unsavedState() async -> UnsavedState

    /// Passes the child's saves to the parent, in order, and returns the changes that the parent dropped.
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
