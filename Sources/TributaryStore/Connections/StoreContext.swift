import TributaryModel

/// The facts about one store that reads and writes need besides the connection.
package struct StoreContext: Sendable {
    package let configuration: StoreConfiguration
    /// Maps the model to the tables of this store.
    package let layout: StoreModel

    /// The folder of large binaries; nil for a store in memory, which keeps them in their rows.
    let blobs: BlobFolder?

    var name: String { configuration.name }
    var model: Model { configuration.model }

    package init(configuration: StoreConfiguration, layout: StoreModel) {
        self.configuration = configuration
        self.layout = layout
        blobs = configuration.memory == nil ? BlobFolder(storePath: configuration.path) : nil
    }
}
