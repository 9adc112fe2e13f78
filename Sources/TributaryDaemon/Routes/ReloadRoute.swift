import Hummingbird

/// `POST /v1/reload`: answers when the new configuration is in force, or says what is wrong with it.
enum ReloadRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        try .json(await request.daemon.reload())
    }
}
