import HTTPTypes
import Hummingbird
import HummingbirdCore
import TributaryAdmin
import TributarySync

/// `POST /v1/sync`: imports, merges and exports everything possible, one synchronization at a time, to the end even
/// when the client disconnects.
///
/// With `Accept: text/event-stream` it sends progress events and ends with `result` or `problem`.
enum SyncRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let lock = request.daemon.syncLock
        try lock.acquire(for: request.caller)
        let before = engine.sync.status.imported
        // The task is no child of the response: it must continue when the client disconnects.
        let work = Task {
            defer { lock.release() }
            return try await engine.sync.sync()
        }
        guard request.wantsEvents else {
            var message = SyncMessage(try await work.value)
            message.problems = await UnfinishedSync.problems(of: request.daemon)
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
