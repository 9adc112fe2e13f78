import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributarySync

/// `POST /v1/sync`: one synchronization at a time, which continues even when the client disconnects.
enum SyncRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let daemon = request.daemon
        let hold = try daemon.syncLock.hold(for: request.caller)
        let before = engine.sync.status.imported
        let work = LongWork(toTheEndFor: request) {
            defer { hold.release() }
            var message = SyncMessage(try await engine.sync.sync())
            // Another synchronization may begin while the status is made.
            hold.release()
            message.problems = await problems(of: daemon)
            return message
        }
        return try await work.response(
            progress: { progress(engine.sync.status, since: before) },
            result: { try $0.jsonText() }
        )
    }

    private static func progress(_ status: SyncStatus, since before: ImportCounts) -> JSONValue {
        let imported = status.imported - before
        return .members([
            "queue": .count(status.queue), "segments": .count(imported.segments),
            "transactions": .count(imported.transactions), "changes": .count(imported.changes),
        ])
    }

    /// They do not prevent a synchronization; waiting segments are listed separately.
    private static let ignoredCodes: Set<Problem.Code> = [
        .paused, .restartNeeded, .settingWithoutEffect, .checkpointFailed, .valuesDeferred, .segmentsWaiting,
        .watchFailed, .watchLimit, .scanNotRequested, .stagingReplicated, .diskLow, .comparisonRefused,
        .baselineUnverified, .nameTaken,
    ]

    private static func problems(of daemon: AdminServices) async -> [Problem]? {
        let sync = daemon.state.engine?.sync
        // A baseline that is not used is a problem only if nothing else has its transactions.
        let idle = sync?.idleBaselineProblems ?? []
        let found = await StatusReport.make(of: daemon).problems.filter { problem in
            !ignoredCodes.contains(problem.code) && !idle.contains(problem.code)
        }
        return found.isEmpty ? nil : found
    }
}

extension SyncMessage {
    init(_ result: SyncResult) {
        self.init(
            imported: result.imported,
            merged: result.merged,
            exported: result.exported,
            remaining: Dictionary(uniqueKeysWithValues: result.remaining.map { ($0.key.rawValue, $0.value) }),
            token: HistoryToken(store: result.historyName, number: result.transaction).text
        )
    }
}
