import GRDB

extension Schema {
    /// The positions of the writers.
    ///
    /// A writer has one row, and one more for each branch of its log that came with other content. `announced` is the
    /// sequence that the store's own transactions last announced as seen; `heard` the time of the last import, in Unix
    /// milliseconds; `aside` a clock that the next local one need not exceed; `start` of a branch the last sequence
    /// before it.
    static let writerTable = """
        CREATE TABLE tributary_writer(
            id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, branch TEXT NOT NULL DEFAULT '', name TEXT,
            sequence INTEGER NOT NULL, clock INTEGER NOT NULL,
            hash TEXT, is_self INTEGER NOT NULL DEFAULT 0, announced INTEGER NOT NULL DEFAULT 0,
            state TEXT, heard INTEGER, aside INTEGER, start INTEGER,
            UNIQUE (uuid, branch))
        """

    /// Gives the table of the writers the columns of version 3.
    ///
    /// The table is created again, not renamed: SQLite refuses to rename a table while a view of another program names
    /// what does not exist.
    static func upgradeWriters(in db: Database) throws {
        let columns = "id, uuid, name, sequence, clock, hash, is_self, announced"
        try db.execute(
            sql: """
                CREATE TEMP TABLE tributary_former_writer AS SELECT \(columns) FROM tributary_writer;
                DROP TABLE tributary_writer;
                \(writerTable);
                INSERT INTO tributary_writer(\(columns)) SELECT \(columns) FROM tributary_former_writer;
                DROP TABLE tributary_former_writer
                """
        )
    }
}
