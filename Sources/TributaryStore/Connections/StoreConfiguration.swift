package import TributaryModel

/// What a store is opened with.
package struct StoreConfiguration: Sendable {
    /// The SQLite file, in a folder that exists.
    package var path: String
    /// The configured name: what peers are shown, and the store part of object IDs.
    package var name: String
    package var model: Model
    package var environment: StoreEnvironment
    /// The folder of a store in memory, which goes when the store is closed.
    package internal(set) var memory: MemoryFolder?
    /// Hears of the statements that SQLite runs.
    package var trace: SQLTrace?
    /// How the store is brought to the model when it is at another version.
    package var migration = MigrationSettings()
    /// Older versions whose names are understood, each list the oldest first.
    var histories: [ModelVersions] = []

    package init(path: String, name: String, model: Model, environment: StoreEnvironment = .system) {
        self.path = path
        self.name = name
        self.model = model
        self.environment = environment
    }
}
