extension Schema {
    /// What deleted objects leave behind: the values of properties that are preserved after deletion, as a JSON object.
    static let tombstoneTable = """
        CREATE TABLE IF NOT EXISTS tributary_tombstone(
            transaction_number INTEGER NOT NULL, root INTEGER NOT NULL, id BLOB NOT NULL, preserved TEXT NOT NULL,
            PRIMARY KEY (transaction_number, root, id)) WITHOUT ROWID
        """
}
