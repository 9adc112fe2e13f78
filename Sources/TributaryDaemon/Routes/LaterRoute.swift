import Hummingbird
import TributaryAdmin

/// Paths of the interface that this version does not serve yet.
enum LaterRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        throw ProblemDocument(
            .notImplemented,
            detail: "version \(TributaryVersion.current) does not do '\(request.request.uri.path)' yet",
            hint: "nothing was changed"
        )
    }
}
