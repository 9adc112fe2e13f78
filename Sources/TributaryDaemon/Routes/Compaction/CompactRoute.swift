import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import TransactionLog
import TributaryAdmin
import TributarySync

/// `POST /v1/compact`: cuts a baseline, verifies one of another store, and removes own segments that are in a verified
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
        let work = ClientWork(for: request) {
            defer { hold.release() }
            return CompactMessage(
                try await engine.compactor.compact(mode) { phase, done, total in
                    progress.set(phase: phase, done: done, total: total)
                }
            )
        }
        return try await work.response(to: request, progress, path: .compact)
    }
}

extension CompactMessage {
    init(_ report: CompactionReport) {
        self.init(
            dryRun: report.isDryRun,
            baseline: Step(report.cut),
            verification: Step(report.verification)
        )
        baselines = report.baselines.map { baseline in
            Baseline(
                file: baseline.name.path,
                bytes: baseline.bytes,
                verified: baseline.isVerified,
                detail: baseline.detail
            )
        }
        removedSegments = report.removedSegments
        removedBytes = report.removedBytes
        removedBaselines = report.removedBaselines.map(\.path)
        remaining = report.remaining.map { Segment(file: $0.name.path, bytes: $0.bytes, waitsFor: $0.waits) }
        remainingSegments = report.remainingCount
        remainingBytes = report.remainingBytes
    }
}

extension CompactMessage.Step {
    fileprivate init(_ cut: CompactionReport.Cut) {
        switch cut {
        case .cut(let name, _): self.init(result: "cut", file: name.path)
        case .done(let name, true): self.init(result: "exists", file: name.path)
        case .done(let name, false):
            self.init(result: "exists", file: name.path, detail: "No store has endorsed it yet.")
        case .waits(let reason): self.init(result: "waits", detail: reason)
        }
    }

    fileprivate init(_ verification: CompactionReport.Verification) {
        switch verification {
        case .verified(let name): self.init(result: "verified", file: name.path)
        case .differs(let name):
            self.init(
                result: "differs",
                file: name.path,
                detail: "This store has another state for the same transactions."
            )
        case .waits(let name, let reason): self.init(result: "waits", file: name.path, detail: reason)
        case .nothing: self.init(result: "nothing")
        }
    }
}
