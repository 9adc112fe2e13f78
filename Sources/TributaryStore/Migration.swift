import GRDB
import TributaryChanges
import TributaryModel

/// Brings a store that was made with another model up to this one: what the model has gained is added; anything else is
/// refused.
///
/// Runs in the transaction that opens the store.
struct Migration {
    let db: Database
    let configuration: StoreConfiguration

    func run() throws -> StoreModel {
        let before = try Catalogue(db)
        var builder = LayoutBuilder(model: configuration.model, catalogue: before)
        let layout = builder.build(storeName: configuration.name)
        let after = Catalogue(layout)
        guard after.entries != before.entries else { return layout }
        try refuseOtherChanges(from: before, to: after)
        throw StoreError.cannotMigrate(path: configuration.path, reason: "the model has changed")
    }

    private func refuseOtherChanges(from before: Catalogue, to after: Catalogue) throws {
        for (key, entry) in before.entries {
            let what = key.owner.isEmpty ? key.name : "\(key.owner).\(key.name)"
            guard let now = after.entries[key] else {
                throw cannotMigrate("the model has no \(key.kind.rawValue) '\(what)' any more, the store has")
            }
            guard now.definition == entry.definition else {
                throw cannotMigrate(
                    "the \(key.kind.rawValue) '\(what)' was '\(entry.definition)' and is now '\(now.definition)'"
                )
            }
        }
    }

    private func cannotMigrate(_ reason: String) -> StoreError {
        .cannotMigrate(path: configuration.path, reason: reason)
    }
}
