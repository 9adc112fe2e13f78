import TributaryChanges

extension StoreUpdate {
    func followed(by later: StoreUpdate) -> StoreUpdate {
        var changes = changes
        changes.formUnion(later.changes)
        return StoreUpdate(token: later.token, changes: changes)
    }
}
