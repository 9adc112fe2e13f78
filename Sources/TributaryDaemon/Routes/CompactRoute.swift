import Hummingbird
import TributarySync

/// `POST /v1/compact`: cuts a baseline, verifies one of another store, and removes own segments that are in a verified
/// one; with `dryRun=true` it only tells what it would do and what the remaining segments wait for.
enum CompactRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let mode: Compactor.Mode = try request.query.flag("dryRun") ? .dryRun : .requested
        let hold = try request.daemon.compactLock.hold(for: request.caller)
        let progress = WorkProgress(phase: "verification")
        let work = LongWork(for: request) {
            defer { hold.release() }
            return try await engine.compactor.compact(mode, progress: progress.set)
        }
        return try await work.response(progress: { progress.json }, result: { try $0.jsonText() })
    }
}
