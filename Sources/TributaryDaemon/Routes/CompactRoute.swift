import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import TransactionLog
import TributaryAdmin
import TributarySync

/// `POST /v1/compact`: cuts a baseline, verifies one of another store, and removes own segments that are in a verified
/// one; with `dryRun=true` it only tells what it would do and what the remaining segments wait for.
enum CompactRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let mode: Compactor.Mode = try request.query.flag("dryRun") ? .dryRun : .requested
        let hold = try request.daemon.compactLock.hold(for: request.caller)
        let progress = WorkProgress(phase: "verification")
        let work = ClientWork(for: request) {
            defer { hold.release() }
            return try await engine.compactor.compact(mode) { phase, done, total in
                progress.set(phase: phase, done: done, total: total)
            }
        }
        return try await work.response(to: request, progress, path: .compact)
    }
}
