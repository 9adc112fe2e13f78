import Hummingbird
import TributaryAdmin

/// `GET /v1/config`: each value and its origin.
enum ConfigRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let configuration = request.daemon.state.configuration
        return try .json(
            ConfigurationMessage(
                file: configuration.file,
                settings: ConfigurationKey.allCases.map { key in
                    let setting = configuration[key]
                    return ConfigurationMessage.Setting(
                        key: key.rawValue,
                        value: setting.value.text,
                        origin: setting.origin.word,
                        place: setting.origin.place
                    )
                },
                restartNeeded: !request.daemon.state.restartNeeded.isEmpty
            )
        )
    }
}
