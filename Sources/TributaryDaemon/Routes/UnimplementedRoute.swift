import Hummingbird
import TributaryAdmin

/// Responds for paths of the interface that this version does not implement.
enum UnimplementedRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        throw ProblemDocument(
            .notImplemented,
            detail: "version \(TributaryVersion.current) does not do '\(request.request.uri.path)' yet",
            hint: "nothing was changed"
        )
    }
}
