import TributaryChanges

/// The view context as a parent.
struct ViewContextLink: ParentLink {
    let container: PersistentContainer

    @MainActor
    func unsavedState() async -> UnsavedState {
        container.viewContext.unsavedState()
    }

    @MainActor
    func absorb(_ saves: [StagedSave]) async -> [ObjectSnapshot] {
        saves.flatMap { container.viewContext.absorb($0) }
    }
}
