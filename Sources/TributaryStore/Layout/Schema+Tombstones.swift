extension Schema {
    /// The table of the values that are preserved after deletion, as a JSON object for each deleted object.
    static let tombstoneTable = """
        CREATE TABLE IF NOT EXISTS tributary_tombstone(
            transaction_number INTEGER NOT NULL, root INTEGER NOT NULL, id BLOB NOT NULL, preserved TEXT NOT NULL,
            PRIMARY KEY (transaction_number, root, id)) WITHOUT ROWID
        """

    /// The index that finds objects that were written to and never inserted.
    static let partialObjectIndex = """
        CREATE INDEX IF NOT EXISTS tributary_object_partial ON tributary_object(root, id) WHERE deleted IS NULL
        """

    /// The unique keys of shadows, and the index that finds the shadows of a representative.
    static let shadowStructures = [
        """
        CREATE TABLE IF NOT EXISTS tributary_shadow_key(
            root INTEGER NOT NULL, id BLOB NOT NULL, key BLOB NOT NULL, PRIMARY KEY (root, id, key)) WITHOUT ROWID
        """,
        "CREATE INDEX IF NOT EXISTS tributary_shadow_holder ON tributary_shadow_key(root, key, id)",
        """
        CREATE INDEX IF NOT EXISTS tributary_object_shadow ON tributary_object(root, representative, id)
        WHERE representative IS NOT NULL
        """,
    ]
}
