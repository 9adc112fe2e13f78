import Hummingbird

enum StatusRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        try .json(await StatusReport.make(of: request.daemon))
    }
}
