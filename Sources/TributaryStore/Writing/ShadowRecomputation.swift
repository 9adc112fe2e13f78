import GRDB
import TributaryChanges
import TributaryModel

/// Runs after a change of the model; during a migration all objects with shared unique keys are visible.
struct ShadowRecomputation {
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

    /// Removes the two changes of visibility from history, because readers see no difference.
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

    /// As JSON, `[["ENTITY","PROPERTY",…],…]`, by table.
    private static func constraints(of layout: StoreModel) -> String? {
        let all = layout.uniqueConstraints.flatMap { $0 }
        guard !all.isEmpty else { return nil }
        return JSONValue.array(all.map { .array(([$0.owner] + $0.names).map { .string($0) }) }).text
    }
}
