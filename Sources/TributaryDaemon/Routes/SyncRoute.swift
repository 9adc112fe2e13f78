import HTTPTypes
import Hummingbird
import HummingbirdCore
import TributaryAdmin
import TributarySync

/// `POST /v1/sync`: imports, merges and exports all that can be now; goes on when the client hangs up.
///
/// With `Accept: text/event-stream` it tells of its progress and ends with `result` or `problem`.
enum SyncRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        guard request.request.headers[.accept]?.contains("text/event-stream") == true else {
            return try .json(SyncMessage(try await engine.sync.sync()))
        }
        let progress = SyncProgress(engine: engine, logger: request.daemon.logger, channel: request.channel)
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await progress.run(&writer)
                try await writer.finish(nil)
            }
        )
    }
}
