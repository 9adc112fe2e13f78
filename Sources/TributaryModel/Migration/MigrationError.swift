/// Why a store was not brought to another version of its model; nothing in it has changed.
public enum MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Some differences cannot be inferred; the list has all of them.
    case notInferable(from: String, to: String, [MigrationRefusal])
    /// The store has been at a newer version than the one it was opened with.
    case olderModel(store: String, model: String)
    /// The store needs a migration, and it was opened with one forbidden.
    case notAllowed(MigrationPlan)
    /// Values would be dropped, and nobody has said that they may be: the version's name is the same as before.
    case losesValues(version: String, [MigrationLoss])
    /// A stage of one's own threw; the error in words.
    case stageFailed(from: String, to: String, reason: String)
    /// Objects of the store do not fit a unique key or a mandatory relationship of the newer version.
    case violated(from: String, to: String, [MigrationViolation])
    /// It was asked to stop; the store is at the old version, and the next opening starts again.
    case interrupted(from: String, to: String)

    /// What failed, and what helps.
    public var description: String {
        switch self {
        case .notInferable(let from, let to, let refusals):
            "the store is at model version '\(from)', and these differences to version '\(to)' cannot be inferred:\n"
                + refusals.map { "  \($0)" }.joined(separator: "\n")
        case .olderModel(let store, let model):
            "the store is at model version '\(store)' and was opened with the older version '\(model)': use a program "
                + "with version '\(store)' or newer; to go back, add what '\(model)' was as a new version"
        case .notAllowed(let plan):
            "the store is at model version '\(plan.from)' and needs a migration to version '\(plan.to)', which was "
                + "forbidden; it would:\n" + plan.changes.map { "  \($0)" }.joined(separator: "\n")
        case .losesValues(let version, let losses):
            "the model has changed under the version '\(version)' that the store is at, and these values would be "
                + "dropped:\n" + losses.map { "  \($0)" }.joined(separator: "\n")
                + "\ngive what was renamed its former name (renamed_from, elementID), raise the model's version, or allow it "
                + "with 'migration: {allow_loss: true}'"
        case .stageFailed(let from, let to, let reason):
            "the stage from model version '\(from)' to '\(to)' failed: \(reason)"
        case .violated(let from, let to, let violations):
            "the store is at model version '\(from)', and objects in it do not fit version '\(to)':\n"
                + violations.map { "  \($0)" }.joined(separator: "\n")
        case .interrupted(let from, let to):
            "the migration from model version '\(from)' to '\(to)' was stopped; it starts again at the next opening"
        }
    }
}
