import HTTPTypes
import Hummingbird
import HummingbirdCore
import TributaryAdmin
import TributarySync

/// `POST /v1/sync`: imports, merges and exports all that can be now; one at a time, and on when the client hangs up.
///
/// With `Accept: text/event-stream` it tells of its progress and ends with `result` or `problem`.
enum SyncRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let turn = request.daemon.syncTurn
        try turn.begin(for: request.peer)
        let before = engine.sync.status.imported
        // Not a child of the answer: it must go on when the client hangs up.
        let work = Task {
            defer { turn.end() }
            return try await engine.sync.sync()
        }
        guard request.request.headers[.accept]?.contains("text/event-stream") == true else {
            var message = SyncMessage(try await work.value)
            message.problems = await SyncObstacles.problems(of: request.daemon)
            return try .json(message)
        }
        let progress = SyncProgress(
            engine: engine,
            daemon: request.daemon,
            work: work,
            before: before,
            logger: request.daemon.logger,
            channel: request.channel
        )
        return progress.stream.response()
    }
}
