import GRDB
import TributaryChanges
import TributaryModel

/// `_revision` is a row's last transaction; `_version` wrote all registers without an entry in `_exceptions`.
///
/// Both refer to `tributary_transaction`, which is therefore never purged.
package enum Schema {
    /// Must run in a write transaction.
    static func open(
        in db: Database,
        configuration: StoreConfiguration,
        migrator: Migrator
    ) throws -> StoreModel {
        let application = try Int32.fetchOne(db, sql: "PRAGMA application_id") ?? 0
        let found = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        let objects = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        if application != StoreFormat.applicationID {
            guard objects == 0, found == 0 else {
                throw StoreError.cannotOpen(
                    path: configuration.path,
                    reason: "it is a SQLite database of another program"
                )
            }
            return try create(in: db, configuration: configuration)
        }
        try check(version: found, path: configuration.path)
        var shadows = ShadowRecomputation(db, configuration)
        let foreignViews = try ForeignViews(in: db)
        try shadows.prepareMigration()
        let layout = try migrator.migrate(db, configuration: configuration)
        // Other versions of the program may lack some of these indexes.
        try createModelIndexes(in: db, layout: layout)
        try shadows.run(layout)
        try foreignViews.restore(in: db, path: configuration.path)
        return layout
    }

    static func checkHeader(_ db: Database, path: String) throws {
        guard try Int32.fetchOne(db, sql: "PRAGMA application_id") == StoreFormat.applicationID else {
            throw StoreError.cannotOpen(path: path, reason: "it is a SQLite database of another program")
        }
        try check(version: try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0, path: path)
    }

    private static func check(version found: Int32, path: String) throws(StoreError) {
        if let reason = StoreFormat.refusal(of: found) { throw .otherFormat(path: path, reason: reason) }
    }

    private static func create(in db: Database, configuration: StoreConfiguration) throws -> StoreModel {
        let model = configuration.model
        let formerNames = FormerNamesSource {
            FormerNames(of: model, histories: [configuration.formerVersions, model.earlier])
        }
        var builder = LayoutBuilder(model: model, catalogue: Catalogue())
        let layout = builder.build(storeName: configuration.name, formerNames: formerNames)
        for statement in ownTables { try db.execute(sql: statement) }
        for table in layout.tables { try createTable(table, in: db, layout: layout) }
        for link in layout.links { try createTable(link, in: db) }
        try createViews(in: db, layout: layout)
        try createModelIndexes(in: db, layout: layout)
        try Catalogue(layout).write(to: db)
        try ShadowRecomputation(db, configuration).record(layout)
        var recorded = try RecordedModels(db, path: configuration.path)
        try recorded.begin(with: configuration.model, after: configuration.formerVersions)
        let own = configuration.environment.newID().description
        try db.execute(
            sql:
                "INSERT INTO tributary_writer(id, uuid, name, sequence, clock, is_self, store) VALUES (1, ?1, ?2, 0, 0, 1, ?1)",
            arguments: [own, configuration.name]
        )
        let home = configuration.environment.home(configuration.path)
        let settings = SettingTable(db)
        try settings.set(Setting(IdentityKeys.label), to: own)
        try settings.set(Setting(IdentityKeys.history), to: own)
        try settings.set(Setting(IdentityKeys.machine), to: home?.machine)
        try settings.set(Setting(IdentityKeys.store), to: home?.store.text)
        try db.execute(sql: "PRAGMA application_id = \(StoreFormat.applicationID)")
        try db.execute(sql: "PRAGMA user_version = \(StoreFormat.version)")
        return layout
    }
}
