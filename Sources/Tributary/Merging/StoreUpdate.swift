public import TributaryChanges

/// The coalesced changes of the main context since its previous update.
public struct StoreUpdate: Sendable, Hashable {
    /// The token of the generation that the main context shows from now on.
    public let token: HistoryToken
    /// The coalesced changes.
    public let changes: ObjectChanges

    /// Creates an update from its token and changes.
    public init(token: HistoryToken, changes: ObjectChanges) {
        self.token = token
        self.changes = changes
    }

    func followed(by later: StoreUpdate) -> StoreUpdate {
        var changes = changes
        changes.formUnion(later.changes)
        return StoreUpdate(token: later.token, changes: changes)
    }
}
