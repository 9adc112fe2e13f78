extension HistoryToken {
    /// Whether this token is earlier in history than the other.
    ///
    /// - Throws: ``HistoryError`` `foreignToken` when the tokens are of different stores: they do not compare.
    public func isEarlier(than other: HistoryToken) throws(HistoryError) -> Bool {
        guard store == other.store else { throw .foreignToken(other, store: store) }
        return number < other.number
    }
}
