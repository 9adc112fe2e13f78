/// The reason for which a store cannot join a baseline.
package enum BaselineJoinError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The baseline was made under another model, whose rules may decide otherwise.
    case otherModel(String?)
    /// The baseline has a greatest or least value of a property that has none under the rules of its model.
    case noBound(entity: String, property: String)

    package var description: String {
        switch self {
        case .otherModel(let version):
            "the baseline was made under \(version.map { "version '\($0)' of the model" } ?? "another model")"
        case .noBound(let entity, let property):
            "the baseline has a bound of '\(entity).\(property)', whose merge rule is neither max nor min"
        }
    }
}
