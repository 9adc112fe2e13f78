import Hummingbird
import TributaryAdmin

/// `GET /v1/config`: each value and its origin.
enum ConfigRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let configuration = request.daemon.state.configuration
        return try .json(
            ConfigurationMessage(
                file: configuration.file,
                settings: ConfigurationKey.all.map { key in
                    let origin = configuration[originOf: key.field]
                    return ConfigurationMessage.Setting(
                        key: key.name,
                        value: key.text(configuration),
                        origin: origin.word,
                        place: origin.location
                    )
                },
                restartNeeded: !request.daemon.state.restartNeeded.isEmpty
            )
        )
    }
}
