import Logging
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore

// This folder writes local transactions into the log folder as segments soon after they are committed, and acknowledges
// imports.

struct ExportLoop: Sendable {
    private static let retryInterval = Duration.seconds(10)

    let environment: SyncEnvironment
    let state: SyncStateOwner
    let signals: SyncSignals
    let pacing: ExportPacing
    let work: WorkMeter
    let interrupt: @Sendable (Exporter.Step) throws -> Void
    let firstExport = Broadcast<Never>(limit: 1)
    private let queue = SerialQueue("tributary.export")

    private var clock: MonotonicClock { environment.clock }

    func run() async {
        var pacing = pacing
        var retry = await tryExport(&pacing)
        firstExport.finish()
        // After a failed acknowledgement, the next attempt is not made before this time.
        var acknowledgeAfter = Duration.zero
        while !state.isStopping {
            await signals.exports.wait(until: nextExport(retry, acknowledgeAfter), on: clock)
            await rest(pacing)
            guard !state.isStopping else { break }
            if clock.now() >= acknowledgeAfter, await !acknowledgeWhenDue() {
                acknowledgeAfter = clock.now() + ExportLoop.retryInterval
            }
            retry = await tryExport(&pacing)
        }
        _ = await tryExport(&pacing)
    }

    private func rest(_ pacing: ExportPacing) async {
        while !state.isStopping {
            let now = clock.now()
            let rest = pacing.rest(at: now, quiet: state.configuration.exportDebounce)
            guard rest > .zero else { return }
            await signals.exports.wait(until: now + rest, on: clock)
        }
    }

    /// With `beyondLimit`, even a full folder takes all segments: a baseline needs them, and then allows removals.
    func exportNow(beyondLimit: Bool = false) async throws -> ImportCounts {
        let wall = environment.wall
        let (configuration, baselines, isException) = state.update {
            ($0.configuration, Array($0.knownBaselines.baselines.values), $0.mayExceedLimit(wall: wall))
        }
        guard configuration.exports else { return ImportCounts() }
        let exporter = Exporter(
            store: environment.store,
            configuration: configuration,
            wall: wall,
            key: environment.trust.key,
            room: configuration.maxBytes.map {
                FolderRoom(limit: $0, size: environment.folderSize, wall: wall, exceptions: isException ? 1 : 0)
            },
            baselines: baselines,
            ignoresLimit: beyondLimit,
            work: work,
            interrupt: interrupt,
            published: environment.published,
            reissued: continued
        )
        do {
            work.begin()
            defer { work.end() }
            let (counts, duration, withheld, taken) = try await queue.run { [self] in
                let began = clock.now()
                let counts = try export(exporter)
                return (counts, clock.now() - began, try exporter.withheld(), try exporter.takenNames())
            }
            state.update { $0.found(taken) }
            finish(counts, withheld: withheld)
            if counts.segments > 0 {
                environment.logger.debug("exported", metadata: counts.journalMetadata)
                environment.activity.exported(counts, in: duration)
            }
            return counts
        } catch {
            let now = clock.now()
            if let report = state.update({ $0.exportFailed(error, wall: wall, now: now) }) {
                environment.logger.error("export failed", metadata: report.journalMetadata)
            }
            throw error
        }
    }

    private func continued(_ reissued: Restamped, file: String) {
        environment.logger.error(
            "a file has the name of a transaction of this store: the store continues as a fresh writer",
            metadata: [
                "file": "\(file)", "writer": "\(reissued.new)", "former": "\(reissued.former)",
                "transactions": "\(reissued.count)",
            ]
        )
        guard let positions = try? SyncRecords(store: environment.store).positions() else { return }
        state.update { $0.setOwn(reissued.new, positions) }
        signals.imports.raise()
    }

    private func finish(_ counts: ImportCounts, withheld: Int?) {
        let wall = environment.wall
        let now = clock.now()
        let (begins, ends, mayCompact, failures) = state.update { state in
            let former = state.withheld
            state.exported(counts, withheld: withheld, wall: wall)
            return (
                former == nil && withheld != nil, former != nil && withheld == nil, state.mayMakeRoom(wall: wall),
                state.exportFailures.ended(at: now)
            )
        }
        if let failures {
            environment.logger.notice(
                "the export works again",
                metadata: ["attempts": "\(failures.attempts)", "time": "\(failures.time.words)"]
            )
        }
        if begins, let withheld {
            environment.logger.warning("the log folder is full", metadata: ["transactions": "\(withheld)"])
        }
        // A baseline may make room.
        if mayCompact { signals.baselines.raise() }
        if ends {
            let words = "the transactions that waited for room in the log folder are published"
            environment.logger.notice("\(words)", metadata: ["exported": "\(counts.transactions)"])
        }
    }

    private func export(_ exporter: Exporter) throws -> ImportCounts {
        do {
            return try exporter.run()
        } catch let error as SegmentError where error.kind == .missing {
            // Without the folder nothing can be exported. That is a failure only if something waits for export.
            guard try exporter.isIdle() else { throw error }
            return ImportCounts()
        }
    }

    func betweenExports<T: Sendable>(_ block: @escaping @Sendable () throws -> T) async throws -> T {
        try await queue.run { [work] in
            work.begin()
            defer { work.end() }
            return try block()
        }
    }

    private func tryExport(_ pacing: inout ExportPacing) async -> Duration? {
        let begin = clock.now()
        do {
            if try await exportNow().transactions > 0 { pacing.exported(at: begin) }
            let waits = state.read { $0.withheld != nil || $0.problems.contains(.nameTaken) }
            return waits ? clock.now() + ExportLoop.retryInterval : nil
        } catch {
            pacing.exported(at: begin)
            return clock.now() + ExportLoop.retryInterval
        }
    }

    private func nextExport(_ retry: Duration?, _ acknowledgeAfter: Duration) -> Duration? {
        guard let due = acknowledgementDue() else { return retry }
        let wall = environment.wall
        let acknowledgement = max(acknowledgeAfter, clock.now() + due.duration(since: wall))
        return retry.map { min($0, acknowledgement) } ?? acknowledgement
    }

    private func acknowledgementDue() -> WallTime? {
        let configuration = state.configuration
        guard configuration.exports else { return nil }
        let since = try? environment.store.read { try ExportLoop.unacknowledgedSince($0) }
        return since.flatMap(\.self).map { $0.due(after: configuration.acknowledge, at: environment.wall) }
    }

    /// The time since which imports are unacknowledged; any later local transaction acknowledges them.
    private static func unacknowledgedSince(_ reader: Reader) throws -> WallTime? {
        let parts = try reader.setting(StoreKeys.unacknowledged)?.split(separator: " ") ?? []
        guard parts.count == 2, let sequence = UInt64(parts[0]), let since = UInt64(parts[1]),
            try reader.writers.own().sequence == sequence
        else { return nil }
        return WallTime(milliseconds: since)
    }

    func acknowledgeWhenDue() async -> Bool {
        let now = environment.wall
        guard let due = acknowledgementDue(), due <= now else { return true }
        let interval = state.configuration.acknowledge
        do {
            try await environment.replica.acknowledge { transaction in
                try ExportLoop.unacknowledgedSince(transaction.reader).map { $0.isDue(after: interval, at: now) }
                    ?? false
            }
            return true
        } catch {
            environment.logger.error("acknowledgement failed", metadata: ["reason": "\(error)"])
            return false
        }
    }
}

/// The first save after a quiet time is exported at once; further saves in that time are exported together.
package struct ExportPacing: Sendable {
    private(set) var lastExport: Duration?

    func rest(at now: Duration, quiet: Duration) -> Duration {
        guard let lastExport else { return .zero }
        return max(.zero, lastExport + quiet - now)
    }

    mutating func exported(at now: Duration) {
        lastExport = now
    }
}

extension FailureReports.Report {
    var journalMetadata: Logger.Metadata {
        var fields: Logger.Metadata = ["reason": "\(reason)"]
        if let before { fields["before"] = "\(before)" }
        if let attempts { fields["attempts"] = "\(attempts)" }
        if let time { fields["time"] = "\(time.words)" }
        return fields
    }
}
