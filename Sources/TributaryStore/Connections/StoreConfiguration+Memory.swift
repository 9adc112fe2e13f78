package import TributaryModel

extension StoreConfiguration {
    /// A store in memory: a database in a private folder that is removed when the store is closed or the process ends.
    package static func memory(name: String, model: Model) throws(StoreError) -> StoreConfiguration {
        let folder = try MemoryFolder()
        var configuration = StoreConfiguration(path: folder.path + "/store.sqlite", name: name, model: model)
        configuration.memory = folder
        return configuration
    }
}
