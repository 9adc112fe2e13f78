import GRDB
import TributaryChanges
import TributaryModel

/// Decides the visibility of all objects that share unique keys when the model or its constraints have changed.
///
/// A migration sees no shadows: they are made visible before it, and decided after it.
struct ShadowRecomputation {
    /// The constraints that applied when the shadows of the store were decided.
    static var constraints: Setting<String> { Setting("uniqueness.constraints") }

    private let db: Database
    private let configuration: StoreConfiguration
    private var isForced = false
    private var known: [Int64: [UniqueID: UniqueID]] = [:]
    private var showing: Int64?

    init(_ db: Database, _ configuration: StoreConfiguration) {
        self.db = db
        self.configuration = configuration
    }

    mutating func prepareMigration() throws {
        let recorded = try RecordedModels(db, path: configuration.path)
        guard recorded.currentHash != configuration.model.versionHash else { return }
        isForced = true
        guard try db.hasRows("tributary_shadow_key"), let model = try recorded.current() else { return }
        var builder = LayoutBuilder(model: model, catalogue: try Catalogue(db))
        let layout = builder.build(storeName: configuration.name)
        try showShadows(StoreContext(configuration: configuration, layout: layout))
    }

    private mutating func showShadows(_ context: StoreContext) throws {
        var known: [Int64: [UniqueID: UniqueID]] = [:]
        showing = try UnloggedTransaction.run(db, context) { transaction in
            known = try transaction.shadows()
            try transaction.engine.uniqueness.showAll()
        }
        self.known = known
    }

    /// Removes from history the showing and hiding of shadows.
    ///
    /// The two transactions remain without changes: nothing has changed for readers.
    private func forget(_ hiding: Int64?) throws {
        for number in [showing, hiding].compactMap(\.self) {
            try db.execute(sql: "DELETE FROM tributary_history WHERE transaction_number = ?", arguments: [number])
        }
    }

    mutating func run(_ layout: StoreModel) throws {
        let known = try SettingTable(db).value(of: ShadowRecomputation.constraints)
        let hasChanged = known != ShadowRecomputation.constraints(of: layout)
        guard isForced || hasChanged else { return }
        let context = StoreContext(configuration: configuration, layout: layout)
        // The keys of shadows are stored by the number of the constraint, so they mean nothing under other constraints.
        if hasChanged, try db.hasRows("tributary_shadow_key") {
            try showShadows(context)
        }
        if layout.uniqueConstraints.contains(where: { !$0.isEmpty }) {
            var shadows: [Int64: [UniqueID: UniqueID]] = [:]
            let hiding = try UnloggedTransaction.run(db, context) { transaction in
                // Under the same constraints the journal has the shadows that a migration has made visible.
                try transaction.engine.uniqueness.decideAll(keepsConflicts: hasChanged)
                shadows = try transaction.shadows()
            }
            if showing != nil, shadows == self.known { try forget(hiding) }
        }
        try record(layout)
    }

    func record(_ layout: StoreModel) throws {
        try SettingTable(db).set(ShadowRecomputation.constraints, to: ShadowRecomputation.constraints(of: layout))
    }

    /// The constraints as JSON, `[["ENTITY","PROPERTY",…],…]`, by table; nil without constraints.
    private static func constraints(of layout: StoreModel) -> String? {
        let all = layout.uniqueConstraints.flatMap { $0 }
        guard !all.isEmpty else { return nil }
        return JSONValue.array(all.map { .array(([$0.owner] + $0.names).map { .string($0) }) }).text
    }
}
