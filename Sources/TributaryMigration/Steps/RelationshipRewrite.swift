import TributaryChanges

/// The form in which a pair of an old relationship is written in a newer model.
enum RelationshipRewrite {
    case link(owner: String, String)
    case assign(owner: String, String)

    func change(_ source: UniqueID, _ target: UniqueID) -> Change {
        switch self {
        case .link(let owner, let property):
            Change(entity: owner, id: source, operation: .link(to: property, ids: [target], positions: nil))
        case .assign(let owner, let property):
            Change(
                entity: owner,
                id: target,
                operation: .update([PropertyWrite(name: property, value: .string(source.description))])
            )
        }
    }
}
