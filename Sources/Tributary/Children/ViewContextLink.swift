import TributaryChanges

struct ViewContextLink: ParentLink {
    let container: PersistentContainer

    @MainActor
    func unsavedState() async -> UnsavedState {
        UnsavedState(of: container.viewContext)
    }

    @MainActor
    func absorb(_ saves: [StagedSave]) async -> [ObjectSnapshot] {
        saves.flatMap { AbsorbOperation(context: container.viewContext).absorb($0) }
    }
}
