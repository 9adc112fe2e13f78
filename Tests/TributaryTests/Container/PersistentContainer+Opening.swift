import TestSupport
import Tributary
import TributaryStore

extension PersistentContainer {
    /// A container on the store of the name in a folder, with a clock that stands still.
    static func open(
        _ folder: TemporaryFolder,
        _ name: String = "store",
        model: Model,
        classes: [ManagedObject.Type] = [],
        environment: StoreEnvironment = .system
    ) async throws -> PersistentContainer {
        let configuration = StoreConfiguration(
            path: folder.path("\(name).sqlite"),
            name: name,
            model: model,
            environment: environment
        )
        return try await PersistentContainer(
            store: Store.open(configuration),
            classes: classes,
            merging: .fixture,
            clock: ManualClock()
        )
    }
}

extension ManagedObject {
    /// The text of an attribute; a hyphen where it has none.
    func text(_ key: String) throws -> String {
        if case .string(let text) = try value(forKey: key) { text } else { "-" }
    }
}
