import Foundation
import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

enum HealthRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let status = await StatusReport.make(of: request.daemon)
        let isHealthy = status.state == .running || status.state == .paused
        return Response(status: isHealthy ? .ok : .serviceUnavailable)
    }
}

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
            status.addProblem(
                .startFailed,
                since: WallTime(unixSeconds: failure.time),
                detail: "the daemon is \(state.phase.rawValue); its last start failed: \(failure.reason)",
                hint: ServiceUnit.current?.journalCommand
            )
        }
        let restart = state.restartNeeded
        status.restartNeeded = !restart.isEmpty
        if !restart.isEmpty {
            status.addProblem(
                .restartNeeded,
                detail: restartDetail(restart, state),
                hint: ServiceUnit.current?.restartCommand
                    ?? "Stop this daemon and start it again: tributaryctl shutdown"
            )
        }
        status.problems += state.configuration.ownSettingsWithoutEffect
        if let engine = state.engine {
            add(engine, to: &status)
            let sync = state.configuration.sync
            status.trust = StatusMessage.Trust(
                mode: sync.trust.mode.rawValue,
                key: engine.sync.signingKey?.publicKey.description
            )
            status.encryption = StatusMessage.Encryption(
                key: sync.encryption.current?.id,
                keys: sync.encryption.keys.count,
                required: sync.encryption.isRequired
            )
            // There is one read for all, because each read waits while readers are busy. Another problem reports a
            // store that cannot be read.
            var notices: [Problem] = []
            let facts = await engine.readSoon { reader in
                let writers = try reader.writers.all()
                _ = try engine.writerWatch.learn(reader, writers, at: engine.wallTime)
                return (
                    writers: writers, deferrals: try engine.sync.deferrals(reader),
                    conflicts: try reader.conflicts.counts(),
                    counters: try reader.countersBeyondTypes(limit: countersCounted)
                )
            }
            if let facts {
                let known = addWriters(facts.writers, engine, to: &status)
                notices = engine.writerWatch.notices(facts.writers, at: engine.wallTime)
                if let notice = notice(of: facts.counters) { notices.append(notice) }
                if var lead = engine.sync.publishedLead(facts.writers, at: engine.wallTime) {
                    lead.detail = known.naming(lead.detail)
                    notices.append(lead)
                }
            }
            if let notice = readerNotice(of: engine, walBytes: status.walBytes) { notices.append(notice) }
            await addFolderQuota(of: engine, daemon, facts?.writers ?? [], &notices, to: &status)
            await addDisks(of: engine, state.configuration.disk, &notices, to: &status)
            if let report = facts?.deferrals ?? engine.sync.lastDeferrals {
                add(await engine.sync.located(report), now: engine.wallTime, &notices, to: &status)
            }
            daemon.noticeTimes.complete(&notices, now: WallTime(Date()))
            status.notices = notices.isEmpty ? nil : notices
            status.conflicts = (facts?.conflicts)
                .map { StatusMessage.Conflicts(kept: $0.kept, dropped: $0.dropped) }
        }
        daemon.problemTimes.complete(&status.problems, now: WallTime(Date()))
        return status
    }

    /// The status stops counting after this number of counters beyond their types.
    private static let countersCounted = 100

    private static func notice(of counters: [CounterBeyondType]) -> Problem? {
        guard let first = counters.first else { return nil }
        let isAll = counters.count < countersCounted
        let rest = counters.count - 1
        let others = rest == 0 ? "" : " \(isAll ? "" : "At least ")\(rest) more \(rest == 1 ? "is" : "are")."
        return Problem(
            .counterBeyondType,
            detail: "'\(first.entity).\(first.property)' of \(first.id) is \(first.value), beyond its type "
                + "\(first.type.rawValue).\(others)",
            hint:
                "The full sum is kept, and later increments are added to it. Give the attribute a greater integer type in the next version of "
                + "the model."
        )
    }

    /// Older deferred values are only counted; they are not a problem, because administrators know about them.
    private static let deferralProblemAge = Duration.seconds(7 * 86_400)

    /// Old values are only a notice: they belong to a former model, or were reported when they arrived.
    private static func add(
        _ report: DeferralReport,
        now: WallTime,
        _ notices: inout [Problem],
        to status: inout StatusMessage
    ) {
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
        let problem = Problem(
            .valuesDeferred,
            since: report.since,
            detail: detail,
            hint: report.newest.first?.segment.map { "tributaryctl segment explain \($0.path)" }
                ?? "Bring the model of this machine up to date. To see the newest of them: tributaryctl status --json"
        )
        let isOld = report.written.map { $0.later(by: deferralProblemAge) <= now } ?? false
        if isOld, report.counts.objects == 0 { notices.append(problem) } else { status.problems.append(problem) }
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
            status.addProblem(
                .mergeFailed,
                detail: "the last merge into the main context failed: \(failure)",
                hint: "The daemon tries again; to try now: tributaryctl sync"
            )
        }
        addStoreProblems(of: engine, to: &status)
        if let problem = engine.scans.problem { status.problems.append(problem) }
        let sync = engine.sync.status
        if status.state == .running, sync.pausedSince != nil { status.state = .paused }
        status.pausedSince = sync.pausedSince?.unixSeconds
        status.segments = Dictionary(uniqueKeysWithValues: sync.segments.map { ($0.key.rawValue, $0.value) })
        status.queue = sync.queue
        status.initialImportComplete = engine.showsInitialImport
        status.lastImport = sync.lastImport?.unixSeconds
        status.problems += sync.problems
        let meters = engine.sync.activity.meters
        status.totals = StatusMessage.Totals(
            imported: meters.imported,
            exported: meters.exported,
            mergedObjects: meters.merged
        )
        let path = container.store.configuration.path
        status.storeBytes = size(of: path)
        status.walBytes = size(of: path + "-wal")
    }

    private static func addStoreProblems(of engine: Engine, to status: inout StatusMessage) {
        if engine.file.isGone {
            status.addProblem(
                .storeGone,
                detail:
                    "the store's file is no longer at \(engine.file.path); saves from now on are lost when the daemon stops",
                hint: "Move the file back. If it was removed, the daemon still has all data: make a backup, stop the "
                    + "daemon, restore the backup with the second command, and start the daemon: tributaryctl backup BACKUP; "
                    + "tributaryctl restore BACKUP --store \(engine.file.path.shellWord)"
            )
        }
        if let failure = engine.container.store.checkpointFailure {
            let path = engine.container.store.configuration.path
            status.addProblem(
                .checkpointFailed,
                detail: "\(path)-wal cannot be copied into \(path): \(failure). Saved data is safe in the "
                    + "-wal file, which grows.",
                hint: "Check the disk of the store; the copy is tried again after each save."
            )
        }
    }

    private static func size(of path: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.int64Value
    }
}

extension StatusReport {
    private static let listedWriters = 10

    static func addWriters(
        _ records: [WriterRecord],
        _ engine: Engine,
        to status: inout StatusMessage
    ) -> KnownTransactions {
        let known = engine.sync.knownTransactions(records)
        for index in status.problems.indices {
            status.problems[index].detail = known.naming(status.problems[index].detail)
            guard let writer = status.problems[index].writer else { continue }
            status.problems[index].writerName = known.name(of: writer)
            guard status.problems[index].code == .segmentsWaiting else { continue }
            let missing = engine.sync.missingParts(of: writer, known)
            status.problems[index].missing = missing.isEmpty ? nil : missing
        }
        status.writers = writers(known, own: engine.sync.ownWriter, engine)
        return known
    }

    private static func writers(_ known: KnownTransactions, own: UniqueID, _ engine: Engine) -> StatusMessage.Writers {
        let others = known.writers.filter { $0 != own }
        let behind = Dictionary(others.map { ($0, known.behind($0)) }) { first, _ in first }
        let shown = others.sorted { left, right in
            let (one, other) = (behind[left] ?? 0, behind[right] ?? 0)
            return one == other ? left < right : one > other
        }
        let (backlogs, now) = (engine.sync.backlogs, engine.wallTime)
        return StatusMessage.Writers(
            count: others.count,
            behind: behind.count { $0.value > 0 },
            first: shown.prefix(listedWriters).map { id in
                var writer = StatusMessage.Writer(id: id.description, name: known.name(of: id), behind: behind[id] ?? 0)
                let since = backlogs[id]?.since.milliseconds
                writer.lagSeconds = since.map { Double(now.milliseconds.subtractingSaturating($0)) / 1_000 }
                if writer.behind == 0 { writer.lagSeconds = writer.lagSeconds ?? 0 }
                guard let record = known.record(of: id) else { return writer }
                writer.state = record.state?.rawValue
                if record.sequence > 0 { writer.lastHeard = record.clock.wallTime.unixSeconds }
                return writer
            }
        )
    }
}

extension StatusMessage {
    fileprivate mutating func addProblem(_ code: Problem.Code, since: WallTime? = nil, detail: String, hint: String?) {
        problems.append(Problem(code, since: since, detail: detail, hint: hint))
    }
}
