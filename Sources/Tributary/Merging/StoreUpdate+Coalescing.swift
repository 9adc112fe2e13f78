import TributaryChanges

extension StoreUpdate {
    /// This update and the one after it as one.
    func followed(by later: StoreUpdate) -> StoreUpdate {
        var changes = changes
        changes.formUnion(later.changes)
        return StoreUpdate(token: later.token, changes: changes)
    }
}
