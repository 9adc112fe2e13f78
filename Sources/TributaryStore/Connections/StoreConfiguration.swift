package import TributaryModel

/// The settings with which a store is opened.
package struct StoreConfiguration: Sendable {
    /// The SQLite file, in a folder that exists.
    package var path: String
    /// The configured name of the store: peers see it, and object IDs contain it.
    package var name: String
    package var model: Model
    package var environment: StoreEnvironment
    /// The folder of a store in memory; removed when the store is closed.
    package internal(set) var memory: MemoryFolder?
    /// Whether the store is removed after its use, so that its commits need not wait for the disk.
    package var isScratch = false
    /// The versions of the model, the oldest first, that a new store knows besides those before its model.
    package var formerVersions = ModelVersions.none
    package var trace: SQLTrace?
    /// Whether a token on the disk, which a clean close leaves, proves after a boot that the store goes on as its writer.
    package var trustsReboot = false
    /// The token of the store's own writer; set when the store is opened.
    var token: WriterToken?

    package init(path: String, name: String, model: Model, environment: StoreEnvironment = .system) {
        self.path = path
        self.name = name
        self.model = model
        self.environment = environment
    }
}
