import TestSupport
import Tributary
import TributaryStore

extension Company {
    /// A container on a store in a folder of another process.
    static func open(at path: String, merging: MergeOptions = .fixture) async throws -> PersistentContainer {
        let configuration = StoreConfiguration(path: path + "/store.sqlite", name: "company", model: try model())
        return try await PersistentContainer(store: Store.open(configuration), classes: classes, merging: merging)
    }
}
