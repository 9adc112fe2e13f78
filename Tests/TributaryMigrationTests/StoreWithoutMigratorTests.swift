import StoreTestSupport
import TestSupport
import Testing
import TributaryChanges
import TributaryMigration
import TributaryModel
import TributaryStore

/// A store that is opened without a migrator: it must be at the version of the model.
@Suite struct StoreWithoutMigratorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder("store")
    }

    private func model(_ version: String, _ attributes: String) throws -> Model {
        try Model(yaml: "version: \"\(version)\"\nentities:\n  A: {attributes: {\(attributes)}}")
    }

    private func open(_ model: Model, migrator: Migrator? = nil) throws -> Store {
        let configuration = StoreConfiguration(path: folder.path("store.sqlite"), name: "test", model: model)
        return try Store.open(configuration, migrator: migrator)
    }

    @Test func `a store at the version of the model opens`() throws {
        let model = try model("1", "x: String?")
        try open(model).close()
        try open(model).close()
    }

    @Test func `a store at another version is refused and unchanged`() throws {
        let old = try model("1", "x: String?")
        let new = try model("2", "x: String?, y: String?")
        try open(old).close()
        let error = try #require(throws: StoreError.self) { try open(new) }
        #expect(
            error.description == """
                the store '\(folder.path("store.sqlite"))' cannot take the new model: it is at another version of the \
                model, and it was opened without a migrator
                """
        )
        try open(old).close()
        try open(new, migrator: Migrator()).close()
        try open(new).close()
        #expect(throws: StoreError.self) { try open(old) }
    }

    @Test func `a former name in the model itself is known, one of an older version only to a migrator`() throws {
        let old = try model("1", "a: String?, b: String?")
        let new = try model("2", "c: {type: String, optional: true, renamed_from: b}")
        let newest = try model("3", "d: {type: String, optional: true, renamed_from: c}").succeeding([old, new])
        for (migrator, isKnown) in [(nil, false), (Migrator(), true)] as [(Migrator?, Bool)] {
            let configuration = StoreConfiguration(
                path: folder.path(isKnown ? "known.sqlite" : "unknown.sqlite"),
                name: "test",
                model: newest
            )
            let store = try Store.open(configuration, migrator: migrator)
            let transaction = ForeignTransaction(
                1,
                1,
                clock: 1,
                .insert("A", 1, ["c": "one"]),
                .insert("A", 2, ["b": "two"])
            )
            try store.write { write in
                _ = try write.apply(transaction)
            }
            let counts = try store.read { try $0.deferrals.counts() }
            #expect(counts.values == (isKnown ? 0 : 1))
            try store.close()
        }
    }
}
