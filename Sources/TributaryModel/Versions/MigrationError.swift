/// An error that ended a migration; the store is unchanged.
public enum MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Some mappings cannot be inferred; the list contains all of them.
    case notInferable(from: String, to: String, [MigrationRefusal])
    /// The store has been migrated to a newer version than the given model.
    case olderModel(store: String, model: String)
    /// The store needs a migration, and the configuration forbids it.
    case notAllowed(MigrationPlan)
    /// The migration would drop values without permission: the name of the version is unchanged, or only the order of
    /// names, or renaming identifiers, say which of the two versions is the newer one, and say that it is the store's.
    case losesValues(from: String, to: String, [MigrationLoss])
    /// A custom stage threw; `reason` describes the error.
    case stageFailed(from: String, to: String, reason: String)
    /// Objects of the store violate a unique key or a mandatory relationship of the newer version.
    case violated(from: String, to: String, [MigrationViolation])
    /// The migration was cancelled; the store is at the old version, and the next opening starts the migration again.
    case interrupted(from: String, to: String)

    /// A description of the error and of its remedy.
    public var description: String {
        switch self {
        case .notInferable(let from, let to, let refusals):
            "the store is at model version '\(from)', and these differences to version '\(to)' cannot be inferred:\n"
                + refusals.map { "  \($0)" }.joined(separator: "\n")
        case .olderModel(let store, let model):
            "the store is at model version '\(store)' and was opened with the older version '\(model)': use a program "
                + "with version '\(store)' or newer. To go back, give what '\(model)' was another version's name, or allow what that "
                + "drops with 'migration: {allow_loss: true}'"
        case .notAllowed(let plan):
            "the store is at model version '\(plan.from)' and needs a migration to version '\(plan.to)', which was "
                + "forbidden; it would:\n" + plan.changes.map { "  \($0)" }.joined(separator: "\n")
        case .losesValues(let from, let to, let losses):
            (from == to
                ? "the model has changed under the version '\(to)' that the store is at"
                : "the store is at model version '\(from)', and by its name or its renaming identifiers '\(to)' may be older")
                + ", and these values would be lost:\n" + losses.map { "  \($0)" }.joined(separator: "\n")
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
