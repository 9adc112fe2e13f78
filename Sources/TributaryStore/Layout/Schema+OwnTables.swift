import GRDB

extension Schema {
    /// Writers are named by `tributary_writer.id`; roots, columns and links by codes of `tributary_catalogue`.
    static let ownTables = [
        """
        CREATE TABLE tributary_catalogue(
            kind TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,
            code INTEGER NOT NULL, definition TEXT NOT NULL, initial TEXT NOT NULL,
            PRIMARY KEY (kind, owner, name)) WITHOUT ROWID
        """,
        "CREATE TABLE tributary_setting(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",

        // `store` is the label of the store that the writer belongs to; `after` is the writer that it continued, and
        // `after_sequence` the last transaction of that writer at that time. `announced` is the sequence that the
        // store's own transactions last announced as seen.
        """
        CREATE TABLE tributary_writer(
            id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT,
            sequence INTEGER NOT NULL, clock INTEGER NOT NULL,
            hash TEXT, is_self INTEGER NOT NULL DEFAULT 0, announced INTEGER NOT NULL DEFAULT 0,
            state TEXT, store TEXT, after TEXT, after_sequence INTEGER)
        """,
        """
        CREATE TABLE tributary_seen(
            store TEXT NOT NULL, other INTEGER NOT NULL, sequence INTEGER NOT NULL,
            PRIMARY KEY (store, other)) WITHOUT ROWID
        """,
        """
        CREATE TABLE tributary_segment(
            writer INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
            sha256 TEXT NOT NULL, parked INTEGER NOT NULL,
            PRIMARY KEY (writer, first, last)) WITHOUT ROWID
        """,

        // History: rows with many changes each; see ``HistoryWriter``.
        """
        CREATE TABLE tributary_transaction(
            number INTEGER PRIMARY KEY, writer INTEGER NOT NULL, sequence INTEGER NOT NULL, clock INTEGER NOT NULL,
            author TEXT, context TEXT, committed_at REAL NOT NULL)
        """,
        """
        CREATE TABLE tributary_shape(
            key BLOB PRIMARY KEY, entity TEXT NOT NULL, kind TEXT NOT NULL, properties TEXT NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE tributary_history(
            transaction_number INTEGER NOT NULL, shape BLOB, common BLOB NOT NULL, objects BLOB NOT NULL)
        """,
        "CREATE INDEX tributary_history_transaction ON tributary_history(transaction_number)",
        """
        CREATE VIEW tributary_change(transaction_number, entity, object, kind, properties) AS
        WITH RECURSIVE place(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n < \(HistoryWriter.capacity - 1))
        SELECT h.transaction_number, s.entity,
            CAST(h.common || substr(h.objects, n * width + 1, 16 - length(h.common)) AS BLOB), s.kind, s.properties
        FROM (SELECT *, 16 - length(common) + iif(shape IS NULL, 4, 0) AS width FROM tributary_history) h
        JOIN place ON n < length(h.objects) / width
        JOIN tributary_shape s ON s.key = ifnull(h.shape, substr(h.objects, n * width + width - 3, 4))
        """,

        // The merge state of objects that are not visible.
        """
        CREATE TABLE tributary_object(
            root INTEGER NOT NULL, id BLOB NOT NULL, deleted INTEGER, registers BLOB,
            inserted INTEGER, entity INTEGER, representative BLOB,
            PRIMARY KEY (root, id)) WITHOUT ROWID
        """,
        // `rank` orders the owners of a one-to-one target (see ``UnresolvedReferenceTable``); NULL until it is needed.
        """
        CREATE TABLE tributary_reference(
            root INTEGER NOT NULL, id BLOB NOT NULL, place INTEGER NOT NULL,
            target_root INTEGER NOT NULL, target BLOB NOT NULL, rank BLOB,
            PRIMARY KEY (root, id, place)) WITHOUT ROWID
        """,
        """
        CREATE TABLE tributary_link(
            link INTEGER NOT NULL, source BLOB NOT NULL, target BLOB NOT NULL,
            version INTEGER NOT NULL, removed INTEGER NOT NULL, position TEXT,
            PRIMARY KEY (link, source, target)) WITHOUT ROWID
        """,
        "CREATE INDEX tributary_link_target ON tributary_link(link, target)",
        """
        CREATE TABLE tributary_counter(
            root INTEGER NOT NULL, id BLOB NOT NULL, place INTEGER NOT NULL, writer INTEGER NOT NULL,
            total NOT NULL,
            PRIMARY KEY (root, id, place, writer)) WITHOUT ROWID
        """,
        // Deferred writes. `position` is the index of the change in its transaction, `part` the index of the value in
        // the change, -1 for the whole change. Writes that a migration has deferred have negative indexes.
        """
        CREATE TABLE tributary_parked(
            entity TEXT NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL,
            position INTEGER NOT NULL, part INTEGER NOT NULL,
            operation TEXT NOT NULL, property TEXT, value TEXT, reason TEXT NOT NULL,
            PRIMARY KEY (entity, id, version, position, part)) WITHOUT ROWID
        """,

        // The outbox, export ranges and idempotency results. `lines` is the last column, because SQLite can build a
        // long BLOB in pieces only there.
        """
        CREATE TABLE tributary_outgoing(
            id INTEGER PRIMARY KEY, writer INTEGER NOT NULL, sequence INTEGER NOT NULL, changes INTEGER NOT NULL,
            lines BLOB NOT NULL, UNIQUE (writer, sequence))
        """,
        """
        CREATE TABLE tributary_export(
            writer INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, header TEXT NOT NULL, sha256 TEXT,
            PRIMARY KEY (writer, first)) WITHOUT ROWID
        """,
        """
        CREATE TABLE tributary_answer(
            key TEXT PRIMARY KEY, number INTEGER NOT NULL, detail TEXT NOT NULL, committed_at REAL NOT NULL)
        """,

        // The values that are preserved after deletion, as a JSON object for each deleted object.
        """
        CREATE TABLE tributary_tombstone(
            transaction_number INTEGER NOT NULL, root INTEGER NOT NULL, id BLOB NOT NULL, preserved TEXT NOT NULL,
            PRIMARY KEY (transaction_number, root, id)) WITHOUT ROWID
        """,
        // The conflict journal: values that lost against a concurrent write. `found`, `losing` and `winning` are
        // numbers of transactions.
        """
        CREATE TABLE tributary_conflict(
            number INTEGER PRIMARY KEY, found INTEGER NOT NULL,
            kind TEXT NOT NULL, rule TEXT NOT NULL, entity TEXT NOT NULL, id BLOB NOT NULL, property TEXT NOT NULL,
            losing INTEGER NOT NULL, losing_value TEXT, winning INTEGER NOT NULL, winning_value TEXT,
            object TEXT, restored INTEGER)
        """,
        """
        CREATE TABLE tributary_shadow_key(
            root INTEGER NOT NULL, id BLOB NOT NULL, key BLOB NOT NULL, PRIMARY KEY (root, id, key)) WITHOUT ROWID
        """,
        "CREATE INDEX tributary_shadow_holder ON tributary_shadow_key(root, key, id)",
        """
        CREATE INDEX tributary_object_shadow ON tributary_object(root, representative, id)
        WHERE representative IS NOT NULL
        """,

        // Write transactions and status queries find rows by these indexes, however many writers and shapes there are.
        "CREATE INDEX tributary_shape_form ON tributary_shape(entity, kind, properties)",
        "CREATE INDEX tributary_writer_clock ON tributary_writer(clock)",
        "CREATE INDEX tributary_writer_after ON tributary_writer(after) WHERE after IS NOT NULL",
        "CREATE INDEX tributary_writer_self ON tributary_writer(is_self) WHERE is_self = 1",
        """
        CREATE INDEX tributary_writer_unannounced ON tributary_writer(id)
        WHERE sequence > announced AND is_self = 0
        """,
        "CREATE INDEX tributary_parked_transaction ON tributary_parked(version)",
        // A digest looks up, for each deferred link, whether an end of the link has been deleted.
        """
        CREATE INDEX tributary_parked_deletion ON tributary_parked(id) WHERE operation = 'delete'
        """,
        // The owners of a one-to-one target are read by their ranks.
        """
        CREATE INDEX tributary_reference_owner
        ON tributary_reference(target_root, target, root, place, rank, id)
        """,
        // Objects that were written to but never inserted.
        """
        CREATE INDEX tributary_object_partial ON tributary_object(root, id) WHERE deleted IS NULL
        """,
    ]
}
