import Foundation
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

/// Collects the status from the components of the daemon.
enum StatusReport {
    static func make(of daemon: AdminServices) async -> StatusMessage {
        let state = daemon.state
        var status = StatusMessage(
            version: TributaryVersion.current,
            state: state.phase,
            uptimeSeconds: state.uptimeSeconds
        )
        status.name = state.configuration.name
        if let failure = state.lastFailure {
            status.problems.append(
                StatusMessage.Problem(
                    code: "start-failed",
                    since: failure.time,
                    detail: "the daemon is \(state.phase.rawValue); its last start failed: \(failure.reason)",
                    hint: ServiceUnit.current?.journalCommand
                )
            )
        }
        let restart = state.restartNeeded
        status.restartNeeded = !restart.isEmpty
        if !restart.isEmpty {
            status.problems.append(
                StatusMessage.Problem(
                    code: "restart-needed",
                    since: nil,
                    detail: restartDetail(restart, state),
                    hint: ServiceUnit.current?.restartCommand
                        ?? "Stop this daemon and start it again: tributaryctl shutdown"
                )
            )
        }
        if let engine = state.engine {
            add(engine, to: &status)
            // Another problem of the status reports a store that cannot be read.
            let facts = await StatusFacts.read(engine)
            if let facts { addWriters(facts.writers, engine, to: &status) }
            if let report = facts?.deferrals ?? engine.sync.lastDeferrals {
                add(await engine.sync.located(report), now: engine.wallTime, to: &status)
            }
            status.conflicts = (facts?.conflicts)
                .map { StatusMessage.Conflicts(kept: $0.kept, dropped: $0.dropped) }
        }
        daemon.problemTimes.complete(&status.problems, now: WallTime(Date()))
        return status
    }

    /// The age after which deferred values are counted but are no problem any more: administrators know of
    /// them by then.
    private static let deferralProblemAge = Duration.seconds(7 * 86_400)

    private static func add(_ report: DeferralReport, now: WallTime, to status: inout StatusMessage) {
        status.deferred = StatusMessage.Deferred(
            values: report.counts.values,
            unknownObjects: report.counts.objects,
            first: report.newest.map { DeferredMessage($0) }
        )
        guard !report.counts.isEmpty, let until = report.until, until.later(by: deferralProblemAge) > now else {
            return
        }
        var parts: [String] = []
        if report.counts.values > 0 { parts.append("values that the model cannot hold: \(report.counts.values)") }
        if report.counts.objects > 0 {
            parts.append("updated objects that no segment has inserted yet: \(report.counts.objects)")
        }
        var detail = "Imported, but without effect: \(parts.joined(separator: "; "))."
        if let newest = report.newest.first {
            let file = newest.segment?.path ?? newest.write.writer.description
            detail += " \(file): \(newest.text)"
        }
        status.problems.append(
            StatusMessage.Problem(
                code: "values-deferred",
                since: report.since?.unixSeconds,
                detail: detail,
                hint: report.newest.first?.segment.map { "tributaryctl segment explain \($0.path)" }
                    ?? "Bring the model of this machine up to date. To see the newest of them: tributaryctl status --json"
            )
        )
    }

    private static func restartDetail(_ keys: [String], _ state: DaemonState) -> String {
        let detail = "a new value of \(keys.joined(separator: ", ")) waits for a restart"
        guard state.modelHasChanged, let path = state.configuration.model else { return detail }
        return "\(detail): the file of the model, \(path), has changed since the start"
    }

    private static func add(_ engine: Engine, to status: inout StatusMessage) {
        let container = engine.container
        status.writer = engine.writer
        status.modelVersion = container.model.version
        status.pendingSaves = container.pendingSaves
        let merging = container.mergeStatus
        status.lastMerge = merging.lastMerge?.unixSeconds
        status.nextMergeDue = merging.nextMergeDue?.unixSeconds
        if let failure = merging.failure {
            status.problems.append(
                StatusMessage.Problem(
                    code: "merge-failed",
                    since: nil,
                    detail: "the last merge into the main context failed: \(failure)",
                    hint: "It is tried again by itself, and now with: tributaryctl sync"
                )
            )
        }
        addStoreProblems(of: engine, to: &status)
        let sync = engine.sync.status
        if status.state == .running, sync.pausedSince != nil { status.state = .paused }
        status.pausedSince = sync.pausedSince?.unixSeconds
        status.segments = Dictionary(uniqueKeysWithValues: sync.segments.map { ($0.key.rawValue, $0.value) })
        status.queue = sync.queue
        status.initialImportComplete = engine.showsInitialImport
        status.lastImport = sync.lastImport?.unixSeconds
        status.problems += sync.problems.map { problem in
            var shown = StatusMessage.Problem(
                code: kebab(problem.code.rawValue),
                since: problem.since.unixSeconds,
                detail: problem.detail,
                hint: problem.hint
            )
            shown.writer = problem.writer?.description
            return shown
        }
        let path = container.store.configuration.path
        status.storeBytes = size(of: path)
        status.walBytes = size(of: path + "-wal")
    }

    private static func addStoreProblems(of engine: Engine, to status: inout StatusMessage) {
        if engine.file.isGone {
            status.problems.append(
                StatusMessage.Problem(
                    code: "store-gone",
                    since: nil,
                    detail:
                        "the store's file is not at \(engine.file.path) any more; what is saved now is lost at the stop",
                    hint:
                        "Move the file back. If it was removed, export what it has, then restart the daemon: tributaryctl sync"
                )
            )
        }
        if let failure = engine.container.store.checkpointFailure {
            let path = engine.container.store.configuration.path
            status.problems.append(
                StatusMessage.Problem(
                    code: "checkpoint-failed",
                    since: nil,
                    detail: "\(path)-wal cannot be copied into \(path): \(failure). What is saved is safe in the "
                        + "former file, which grows.",
                    hint: "See to the disk of the store; the copy is tried again after each save."
                )
            )
        }
    }

    static func kebab(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
    }

    private static func size(of path: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
    }
}
