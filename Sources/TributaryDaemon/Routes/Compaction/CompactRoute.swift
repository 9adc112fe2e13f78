import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import TributaryAdmin
import TributarySync

/// `POST /v1/compact`: cuts a baseline, verifies one of another writer, and removes own segments that are in a verified
/// one; with `dryRun=true` it only tells what it would do and what the remaining segments wait for.
///
/// One compaction runs at a time. With `Accept: text/event-stream` it sends progress events and ends with `result` or
/// `problem`. It stops when the client disconnects.
enum CompactRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let mode: Compactor.Mode = try request.query.flag("dryRun") ? .dryRun : .requested
        let hold = try request.daemon.compactLock.hold(for: request.caller)
        let progress = WorkProgress(phase: "verification")
        let work = ClientWork.start(for: request.channel, until: request.daemon.shutdownBroadcast) {
            defer { hold.release() }
            return CompactMessage(
                try await engine.compactor.compact(mode) { phase, done, total in
                    progress.set(phase: phase, done: done, total: total)
                }
            )
        }
        let result: @Sendable () async throws -> CompactMessage = {
            try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                work.cancel()
            }
        }
        guard request.request.headers[.accept]?.contains("text/event-stream") == true else {
            return try .json(try await result())
        }
        let stream = ProgressStream(
            progress: { progress.json },
            result: {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return String(decoding: try encoder.encode(try await result()), as: UTF8.self)
            },
            path: .compact,
            logger: request.daemon.logger,
            channel: request.channel
        )
        return stream.response { work.cancel() }
    }
}
