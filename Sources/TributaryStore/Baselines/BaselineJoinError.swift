package import TributaryChanges

/// The reason for which a store cannot join a baseline.
package enum BaselineJoinError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The baseline was made under another model, whose rules may decide otherwise.
    case otherModel(String?)
    /// The baseline has more of the store's own transactions than the store: the store is older than what it has
    /// published.
    case ownWriterAhead(sequence: UInt64, known: UInt64)
    /// Both the store and the baseline have a branch of a forked writer that the other one lacks.
    case otherBranches(UniqueID)

    /// The baseline has a greatest or least value of a property that has none under the rules of its model.
    case noBound(entity: String, property: String)

    package var description: String {
        switch self {
        case .otherModel(let version):
            "the baseline was made under \(version.map { "version '\($0)' of the model" } ?? "another model")"
        case .ownWriterAhead(let sequence, let known):
            "the baseline has the store's own transactions up to \(sequence), the store up to \(known)"
        case .noBound(let entity, let property):
            "the baseline has a bound of '\(entity).\(property)', whose merge rule is neither max nor min"
        case .otherBranches(let writer):
            "the store has a branch of the forked writer \(writer) that is not in the baseline, and lacks one that is"
        }
    }
}
