extension Schema {
    /// What deleted objects leave behind: the values of properties that are preserved after deletion, as a JSON object.
    static let tombstoneTable = """
        CREATE TABLE IF NOT EXISTS tributary_tombstone(
            transaction_number INTEGER NOT NULL, root INTEGER NOT NULL, id BLOB NOT NULL, preserved TEXT NOT NULL,
            PRIMARY KEY (transaction_number, root, id)) WITHOUT ROWID
        """

    /// Finds the objects that were written to and that nobody has inserted.
    static let partialObjectIndex = """
        CREATE INDEX IF NOT EXISTS tributary_object_partial ON tributary_object(root, id) WHERE deleted IS NULL
        """
}
