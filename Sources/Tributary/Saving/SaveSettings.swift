import TributaryChanges

/// The author and the conflict resolution of a context's saves, and the state of its next and last save.
struct SaveSettings {
    var author: String?
    var mergePolicy: MergePolicy
    var resolveConflict: ((ManagedObject, MergeConflict) throws -> MergePolicy?)?
    var request: RequestConditions?
    /// The object of each change of a request that has been saved.
    var answers: [UniqueID] = []
    /// The checks that the running validation has made before it calls a hook; nil while none runs.
    var validation: ValidationProgress?
    var lastToken: HistoryToken?

    init(author: String?, mergePolicy: MergePolicy) {
        self.author = author
        self.mergePolicy = mergePolicy
    }

    mutating func endRequest(_ plan: SavePlan) {
        answers += request?.answers(plan) ?? []
        request = nil
    }
}
