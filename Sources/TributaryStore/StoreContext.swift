import TributaryModel

/// What reads and writes of one store need to know besides the connection.
struct StoreContext: Sendable {
    let configuration: StoreConfiguration

    var name: String { configuration.name }
    var model: Model { configuration.model }

    init(configuration: StoreConfiguration) {
        self.configuration = configuration
    }
}
