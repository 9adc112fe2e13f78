import GRDB
import TributaryChanges
import TributaryModel

/// The physical layout of a store: the tables of the model's entities, for readers with plain SQL, and the store's own
/// tables beside them.
///
/// A row's version is the number of the store's transaction that wrote it: `tributary_transaction` says which writer's
/// it was and at what clock, and is therefore never purged. `_revision` is the transaction that changed the row last;
/// `_version` the one that wrote what `_exceptions` says nothing about, NULL when it is the same. Where the order of
/// changes in the transaction matters, a version has the index of the change too (see ``VersionNumber``).
enum Schema {
    /// "TRIB", in the file's header.
    static let applicationID: Int32 = 0x5452_4942
    /// Raised with each change of the layout that this code could not read.
    ///
    /// 2: dates are kept as seconds since 2001.
    static let version: Int32 = 2

    /// Prepares a store for use: creates it when the file is empty, else compares it with the model and adds what the
    /// model has gained.
    ///
    /// Must run in a write transaction.
    ///
    /// - Throws: ``StoreError`` `newerStore`, `cannotOpen`, `cannotMigrate`.
    static func open(in db: Database, configuration: StoreConfiguration) throws -> StoreModel {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        if found > version, application == applicationID {
            throw StoreError.newerStore(path: configuration.path, version: Int(found))
        }
        let objects = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        if application != applicationID {
            guard objects == 0, found == 0 else {
                throw StoreError.cannotOpen(path: configuration.path, reason: "it is a database of something else")
            }
            return try create(in: db, configuration: configuration)
        }
        try addRanks(in: db)
        for statement in [tombstoneTable] + ownIndexes + [partialObjectIndex] + [unknownWriters] {
            try db.execute(sql: statement)
        }
        let foreignViews = try ForeignViews(in: db)
        if found < version { try DateUpgrade(db: db).run() }
        let layout = try MigrationRun(db: db, configuration: configuration).run(isForced: found < version)
        try foreignViews.restore(in: db, path: configuration.path)
        if found < version { try db.execute(sql: "PRAGMA user_version = \(version)") }
        return layout
    }

    /// Creates all tables in an empty file and the store's own writer.
    private static func create(in db: Database, configuration: StoreConfiguration) throws -> StoreModel {
        var configuration = configuration
        configuration.histories = [configuration.model.earlier]
        var builder = LayoutBuilder(model: configuration.model, catalogue: Catalogue())
        let layout = builder.build(storeName: configuration.name, histories: configuration.histories)
        for statement in ownTables + [tombstoneTable] + ownIndexes + [partialObjectIndex] {
            try db.execute(sql: statement)
        }
        for table in layout.tables { try createTable(table, in: db, layout: layout) }
        for link in layout.links { try createTable(link, in: db) }
        try createViews(in: db, layout: layout)
        try createFetchIndexes(in: db, layout: layout)
        try Catalogue(layout).write(to: db)
        var recorded = try RecordedModels(db, path: configuration.path)
        try recorded.begin(with: configuration.model)
        try db.execute(
            sql: "INSERT INTO tributary_writer(id, uuid, name, sequence, clock, is_self) VALUES (1, ?, ?, 0, 0, 1)",
            arguments: [configuration.environment.newID().description, configuration.name]
        )
        try db.execute(sql: "PRAGMA application_id = \(applicationID)")
        try db.execute(sql: "PRAGMA user_version = \(version)")
        return layout
    }
}
