import Logging
package import TransactionLog
package import TributaryAdmin
package import TributaryChanges
import TributaryStore

// This folder keeps the log folder small. The rules decide which baselines are cut or compared, and which own files are
// removed. A pass carries out the decisions. The known baselines record which baselines are verified.

/// Runs one pass at a time: at the start, when the baselines in the log folder change, and once a day.
package actor Compactor {
    private let sync: SyncService
    private let queue = SerialQueue("tributary.compaction")
    private var isRunning = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    package private(set) var last: (report: CompactionReport, time: WallTime)?

    private static let interval = Duration.seconds(86_400)

    package enum Mode: Sendable {
        case dryRun
        case requested
        /// Only one writer cuts a baseline, and only when the saved space is worth the cost.
        case automatic
    }

    package init(sync: SyncService) {
        self.sync = sync
    }

    private var logger: Logger { sync.environment.logger }

    package func run() async {
        await sync.started()
        let clock = sync.environment.clock
        while !Task.isCancelled, !sync.state.isStopping {
            do {
                _ = try await compact(.automatic)
            } catch is CancellationError {
                return
            } catch let error as SegmentError where error.kind == .missing {
                // The import already reports that the log folder is missing.
                logger.debug("no compaction", metadata: ["reason": "\(error.reason)"])
            } catch {
                logger.warning("compaction failed", metadata: ["reason": "\(ErrorText.text(of: error))"])
            }
            await sync.signals.baselines.wait(until: clock.now() + Compactor.interval, on: clock)
        }
    }

    package func compact(
        _ mode: Mode,
        progress: @escaping StoreCheck.Progress = { _, _, _ in }
    ) async throws -> CompactionReport {
        let report = try await inTurn { try await pass(mode, progress).run() }
        if mode != .dryRun {
            // The files in the folder have changed, and waiting exports may have room now.
            sync.environment.folderSize.expire()
            sync.signals.exports.raise()
        }
        if mode != .dryRun { sync.state.update { $0.comparison = report.verification } }
        last = (report, sync.environment.wall)
        return report
    }

    /// Endorses a baseline that does not contradict this store; the user vouches for transactions that this store lacks.
    ///
    /// With `isUnproven`, the user also vouches for the parts that cannot be compared. O(n log n) for n cells.
    package func accept(
        _ baseline: BaselineName,
        isUnproven: Bool = false,
        by user: String? = nil,
        progress: @escaping StoreCheck.Progress = { _, _, _ in }
    ) async throws -> CompactionReport.Step {
        // The baseline may have arrived just now.
        try await scan()
        let step = try await inTurn {
            try await pass(.requested, progress).accept(baseline, isUnproven: isUnproven)
        }
        guard step.result == .verified else { return step }
        logger.warning(
            "baseline is accepted",
            metadata: ["baseline": "\(baseline.path)", "by": "\(user ?? "this program")"]
        )
        try await scan()
        return step
    }

    private func scan() async throws {
        if sync.state.read({ $0.pause == nil && $0.lifecycle.phase == .running }) { try await sync.importAll() }
    }

    private func inTurn<T: Sendable>(_ body: () async throws -> T) async throws -> T {
        while isRunning { await withCheckedContinuation { waiting.append($0) } }
        isRunning = true
        defer {
            isRunning = false
            if !waiting.isEmpty { waiting.removeFirst().resume() }
        }
        return try await body()
    }

    private func pass(_ mode: Mode, _ progress: @escaping StoreCheck.Progress) throws -> CompactionPass {
        CompactionPass(
            sync: sync,
            queue: queue,
            logs: try sync.state.configuration.openLogs(),
            mode: mode,
            progress: progress
        )
    }
}
