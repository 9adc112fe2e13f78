/// An error in reading history.
public enum HistoryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The history after the token has been purged; `oldest` is the earliest token that is still valid.
    case expired(HistoryToken, oldest: HistoryToken)
    /// The token is of another store, or of this one before it was set back or copied.
    case foreignToken(HistoryToken, store: String)
    /// No consumer of the name is registered.
    case unknownConsumer(String)

    /// A message that says which request failed, and how to continue.
    public var description: String {
        switch self {
        case .expired(let token, let oldest):
            """
            the history after transaction \(token.number) has been purged (up to \(oldest.number)): fetch the objects \
            anew, then go on from container.currentHistoryToken() as it was before the fetch
            """
        case .foreignToken(let token, let store):
            """
            the token is of the store \(token.store), this one is \(store): fetch the objects anew, then go on from \
            container.currentHistoryToken() as it was before the fetch
            """
        case .unknownConsumer(let name):
            "no consumer '\(name)' is registered: container.registerHistoryConsumer(_:) makes it known"
        }
    }
}
