import Hummingbird

/// `POST /v1/reload`: responds when the new configuration is in force, or with the error in it.
enum ReloadRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        try .json(await request.daemon.reload())
    }
}
