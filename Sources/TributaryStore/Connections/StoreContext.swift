import TributaryModel

/// What reads and writes of one store need to know besides the connection.
struct StoreContext: Sendable {
    let configuration: StoreConfiguration
    /// Where the model's objects lie in this store.
    let layout: StoreModel

    /// Where large binaries lie; nil in memory, where they stay in their rows.
    let blobs: BlobFolder?

    var name: String { configuration.name }
    var model: Model { configuration.model }

    init(configuration: StoreConfiguration, layout: StoreModel) {
        self.configuration = configuration
        self.layout = layout
        blobs = configuration.memory == nil ? BlobFolder(storePath: configuration.path) : nil
    }
}
