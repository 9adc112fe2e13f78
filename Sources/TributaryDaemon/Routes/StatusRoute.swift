import Hummingbird
import TributaryAdmin

enum StatusRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        try .json(await StatusReport.make(of: request.daemon))
    }
}

/// `GET /v1/health`: 200 when the daemon is working, else 503.
enum HealthRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let status = await StatusReport.make(of: request.daemon)
        let isHealthy = status.state == .running || status.state == .paused
        return Response(status: isHealthy ? .ok : .serviceUnavailable)
    }
}
