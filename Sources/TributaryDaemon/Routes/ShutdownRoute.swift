import Hummingbird

/// `POST /v1/shutdown`: starts the graceful stop and responds at once.
enum ShutdownRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        request.daemon.shutdown()
        var response = Response.done
        response.status = .accepted
        return response
    }
}
