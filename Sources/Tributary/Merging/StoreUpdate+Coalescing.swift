import TributaryChanges

extension StoreUpdate {
    /// Returns this update and the later one as one.
    func followed(by later: StoreUpdate) -> StoreUpdate {
        var changes = changes
        changes.formUnion(later.changes)
        return StoreUpdate(token: later.token, changes: changes)
    }
}
