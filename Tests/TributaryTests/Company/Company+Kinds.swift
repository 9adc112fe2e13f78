import TestSupport
import Tributary

extension Company {
    /// The kinds of store that behave alike.
    enum StoreKind: String, CaseIterable, Sendable {
        case file, memory
    }

    /// A container on a store of the kind given; the folder is for those that need one.
    static func open(
        _ kind: StoreKind,
        in folder: TemporaryFolder,
        sqlLog: SQLLog? = nil
    ) async throws -> PersistentContainer {
        var merging = MergeOptions()
        // Long, so that nothing is merged unless a test asks for it.
        merging.debounce = .seconds(3600)
        merging.ceiling = .seconds(3600)
        return try await PersistentContainer(
            name: "company",
            model: try model(),
            classes: classes,
            store: kind == .memory ? .memory : .file(folder.path("store.sqlite")),
            merging: merging,
            sqlLog: sqlLog
        )
    }

    static func open(_ kind: StoreKind, sqlLog: SQLLog? = nil) async throws -> (TemporaryFolder, PersistentContainer) {
        let folder = try TemporaryFolder("company")
        return (folder, try await open(kind, in: folder, sqlLog: sqlLog))
    }
}
