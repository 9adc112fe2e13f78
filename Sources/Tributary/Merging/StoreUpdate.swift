public import TributaryChanges

/// The main context has merged: what changed since the update before, as one set.
public struct StoreUpdate: Sendable, Hashable {
    /// The generation that the main context shows from now on.
    public let token: HistoryToken
    /// The coalesced changes.
    public let changes: ObjectChanges

    /// An update of its parts.
    public init(token: HistoryToken, changes: ObjectChanges) {
        self.token = token
        self.changes = changes
    }
}
