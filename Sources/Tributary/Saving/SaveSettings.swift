/// How a context saves: for whom, and what happens about conflicts; and what the next save and the last one were about.
struct SaveSettings {
    var author: String?
    var mergePolicy: MergePolicy
    var resolveConflict: ((ManagedObject, MergeConflict) throws -> MergePolicy?)?
    /// Makes the next save answer for a request.
    var request: RequestConditions?
    /// What the validation that calls a hook has checked itself; nil while none does.
    var validation: ValidationProgress?
    var lastToken: HistoryToken?

    init(author: String?, mergePolicy: MergePolicy) {
        self.author = author
        self.mergePolicy = mergePolicy
    }
}
