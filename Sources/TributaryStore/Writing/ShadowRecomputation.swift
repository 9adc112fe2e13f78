import GRDB
import TributaryChanges
import TributaryModel

/// Decides about all objects that share unique keys when the model or its constraints have changed.
///
/// A migration sees no shadows: they are made visible before it and decided about after it. A store of a program that
/// did not know shadows is decided about when it is opened.
struct ShadowRecomputation {
    /// The setting with the constraints that the shadows of the store follow from.
    static let key = "uniqueness.constraints"

    private let db: Database
    private let configuration: StoreConfiguration
    /// Whether a migration has found shadows, or will run.
    private var isForced = false

    init(_ db: Database, _ configuration: StoreConfiguration) {
        self.db = db
        self.configuration = configuration
    }

    /// Makes all shadows visible when the model is about to change.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read or written.
    mutating func prepareMigration() throws {
        let recorded = try RecordedModels(db, path: configuration.path)
        guard recorded.currentHash != configuration.model.versionHash else { return }
        isForced = true
        guard try db.hasRows("tributary_shadow_key"), let model = try recorded.current() else { return }
        var builder = LayoutBuilder(model: model, catalogue: try Catalogue(db))
        let layout = builder.build(storeName: configuration.name)
        try UnloggedTransaction.run(db, StoreContext(configuration: configuration, layout: layout)) { transaction in
            try transaction.showShadows()
        }
    }

    /// Decides about all objects that share keys, unless nothing has changed.
    ///
    /// - Throws: ``StoreError`` when the store cannot be read or written.
    func run(_ layout: StoreModel) throws {
        let known = try String.fetchOne(
            db,
            sql: "SELECT value FROM tributary_setting WHERE key = ?",
            arguments: [ShadowRecomputation.key]
        )
        let hasChanged = known != ShadowRecomputation.constraints(of: layout)
        guard isForced || hasChanged else { return }
        let context = StoreContext(configuration: configuration, layout: layout)
        // The keys of shadows are stored by the number of the constraint, so they mean nothing under other ones.
        if hasChanged, try db.hasRows("tributary_shadow_key") {
            try UnloggedTransaction.run(db, context) { try $0.showShadows() }
        }
        if layout.uniqueConstraints.contains(where: { !$0.isEmpty }) {
            try UnloggedTransaction.run(db, context) { transaction in
                // Under the same constraints the journal has the shadows that a migration has made visible.
                try transaction.decideShadows(keepsConflicts: hasChanged)
            }
        }
        try record(layout)
    }

    /// Records the constraints; a store without any has no such setting.
    ///
    /// - Throws: ``StoreError`` when the store cannot be written.
    func record(_ layout: StoreModel) throws {
        if let constraints = ShadowRecomputation.constraints(of: layout) {
            try db.execute(
                sql: "INSERT OR REPLACE INTO tributary_setting(key, value) VALUES (?, ?)",
                arguments: [ShadowRecomputation.key, constraints]
            )
        } else {
            try db.execute(
                sql: "DELETE FROM tributary_setting WHERE key = ?",
                arguments: [ShadowRecomputation.key]
            )
        }
    }

    /// The constraints as JSON, `[["ENTITY","PROPERTY",…],…]`, by table; nil when there are none.
    private static func constraints(of layout: StoreModel) -> String? {
        let all = layout.uniqueConstraints.flatMap { $0 }
        guard !all.isEmpty else { return nil }
        return JSONValue.array(all.map { .array(([$0.owner] + $0.names).map { .string($0) }) }).text
    }
}
