import Logging
import Synchronization
import TransactionLog
import TributaryChanges
import TributaryStore

extension SyncService {
    /// Exports when something may have been written, and acknowledges when that is due.
    func runExports() async {
        var pacing = initialPacing
        var retry = await tryExport(&pacing)
        while !isStopping {
            await exportSignal.wait(atMost: exportRest(retry), clock: clock)
            guard !isStopping else { break }
            let rest = pacing.rest(at: clock.now(), quiet: configuration.exportDebounce)
            await stopSignal.wait(atMost: rest, clock: clock)
            guard !isStopping else { break }
            await acknowledgeWhenDue()
            retry = await tryExport(&pacing)
        }
        _ = await tryExport(&pacing)
    }

    /// Exports everything that is committed.
    ///
    /// Serial: a caller waits for an export that has begun.
    ///
    /// Works as long as the store is open, also after the service has ended.
    @discardableResult
    package func exportNow() async throws -> ImportCounts {
        let configuration = configuration
        let mayExport = configuration.exports && state.withLock { $0.problems[.ownFork] == nil }
        guard mayExport else { return ImportCounts() }
        let exporter = Exporter(
            store: replica.store,
            name: configuration.name ?? replica.store.configuration.name,
            logs: configuration.logs,
            segmentBytes: configuration.segmentBytes,
            maxAhead: configuration.maxAhead.wholeMilliseconds,
            wall: wall,
            work: exportWork,
            interrupt: interruptExport
        )
        do {
            exportWork.begin()
            defer { exportWork.end() }
            let counts = try await exportQueue.run { try exporter.run() }
            state.withLock { state in
                state.exported = state.exported + counts
                state.problems[.exportFailed] = nil
                state.problems[.ownClockAhead] = nil
                state.problems[.logsMissing] = nil
            }
            if counts.segments > 0 { logger.info("exported", metadata: counts.journalMetadata) }
            return counts
        } catch {
            noteExportFailure(error)
            throw error
        }
    }

    /// Exports, and returns when to try again if that failed.
    private func tryExport(_ pacing: inout ExportPacing) async -> Duration? {
        let begin = clock.now()
        do {
            if try await exportNow().transactions > 0 { pacing.exported(at: begin) }
            return nil
        } catch {
            pacing.exported(at: begin)
            return clock.now() + ImportLoop.retryInterval
        }
    }

    private func noteExportFailure(_ error: any Error) {
        let wall = wall
        let logs = configuration.logs
        logger.error("export failed", metadata: ["reason": "\(ErrorText.text(of: error))"])
        state.withLock { state in
            switch error {
            case let error as SegmentError where error.kind == .forked:
                state.raiseOwnFork(error.file, "Its name is taken by other content.", wall: wall)
            case ExportFailure.clockAhead(let milliseconds):
                state.raise(
                    .ownClockAhead,
                    wall: wall,
                    detail:
                        "This store's own clock is \(milliseconds / 1000) s ahead of the machine's; nothing is exported.",
                    hint: "Set the machine's clock right; exporting goes on by itself."
                )
            case ExportFailure.foreignFolder(_, let writer, _):
                state.raise(
                    .logsMissing,
                    wall: wall,
                    detail: "Local changes are not exported: \(ErrorText.text(of: error))",
                    hint: "Mount the share. If the folder is to begin anew: mkdir \(logs)/\(writer)"
                )
            default:
                state.raise(
                    .exportFailed,
                    wall: wall,
                    detail: "Local changes were not exported: \(ErrorText.text(of: error))",
                    hint: "It is tried again every 10 s. Give \(logs) room and the daemon the right to write there."
                )
            }
        }
    }

    // MARK: Acknowledging

    private func exportRest(_ retry: Duration?) -> Duration? {
        var rest = retry.map { $0 - clock.now() }
        if let due = acknowledgementDue() {
            let wall = wall
            let left = Duration.milliseconds(due > wall ? due - wall : 0)
            rest = rest.map { min($0, left) } ?? left
        }
        return rest
    }

    /// Wall time at which what was seen must be told; nil when there is nothing to tell.
    private func acknowledgementDue() -> UInt64? {
        let configuration = configuration
        guard configuration.exports, state.withLock({ $0.problems[.ownFork] == nil }) else { return nil }
        let since = try? replica.store.read { try SyncService.unacknowledgedSince($0) }
        return since.flatMap(\.self).map { $0.addingSaturating(configuration.acknowledge.wholeMilliseconds) }
    }

    /// Since when something is unacknowledged: any local transaction after it has told of it.
    private static func unacknowledgedSince(_ reader: Reader) throws -> UInt64? {
        let parts = try reader.setting(StoreKeys.unacknowledged)?.split(separator: " ") ?? []
        guard parts.count == 2, let sequence = UInt64(parts[0]), let since = UInt64(parts[1]),
            try reader.ownWriter().sequence == sequence
        else { return nil }
        return since
    }

    private func acknowledgeWhenDue() async {
        guard let due = acknowledgementDue(), due <= wall else { return }
        let interval = configuration.acknowledge.wholeMilliseconds
        let now = wall
        do {
            _ = try await replica.importTransactions { transaction in
                guard let since = try SyncService.unacknowledgedSince(transaction.reader),
                    since.addingSaturating(interval) <= now
                else {
                    return ((), [])
                }
                let empty = LocalTransaction(author: "tributaryd", contextName: "acknowledgement", changes: [])
                return ((), [try transaction.commit(empty)])
            }
        } catch {
            logger.error("acknowledgement failed", metadata: ["reason": "\(error)"])
        }
    }
}
