extension Schema {
    /// The conflict journal: values that lost against a concurrent write.
    ///
    /// `found`, `losing` and `winning` are numbers of transactions, of which the last two include the index of the
    /// change (see ``VersionNumber``).
    static let conflictTable = """
        CREATE TABLE IF NOT EXISTS tributary_conflict(
            number INTEGER PRIMARY KEY, found INTEGER NOT NULL,
            kind TEXT NOT NULL, rule TEXT NOT NULL, entity TEXT NOT NULL, id BLOB NOT NULL, property TEXT NOT NULL,
            losing INTEGER NOT NULL, losing_value TEXT, winning INTEGER NOT NULL, winning_value TEXT,
            object TEXT, restored INTEGER)
        """
}
