import Hummingbird

/// `POST /v1/shutdown`: begins the graceful stop and answers at once.
enum ShutdownRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        request.daemon.shutdown()
        var response = Response.done
        response.status = .accepted
        return response
    }
}
