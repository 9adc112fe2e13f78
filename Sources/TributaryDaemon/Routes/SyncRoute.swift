import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Tributary
import TributaryAdmin
import TributaryChanges
import TributarySync

/// `POST /v1/sync`: imports, merges and exports everything possible, one synchronization at a time, to the end even
/// when the client disconnects.
///
/// With `Accept: text/event-stream` it sends progress events and ends with `result` or `problem`.
enum SyncRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let lock = request.daemon.syncLock
        try lock.acquire(for: request.caller)
        let before = engine.sync.status.imported
        // The task is no child of the response: it must continue when the client disconnects.
        let work = Task {
            defer { lock.release() }
            return try await engine.sync.sync()
        }
        guard request.wantsEvents else {
            var message = SyncMessage(try await work.value)
            message.problems = await UnfinishedSync.problems(of: request.daemon)
            return try .json(message)
        }
        let progress = SyncProgress(
            engine: engine,
            daemon: request.daemon,
            work: work,
            before: before,
            logger: request.daemon.logger,
            channel: request.channel
        )
        return progress.stream.response()
    }
}

/// The progress of a synchronization for its client; the synchronization continues when the client disconnects.
struct SyncProgress: Sendable {
    let engine: Engine
    let daemon: AdminServices
    let work: Task<SyncResult, any Error>
    let before: ImportCounts
    let logger: Logger
    let channel: any Channel

    var stream: ProgressStream {
        ProgressStream(
            progress: { progress },
            result: {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                var message = SyncMessage(try await work.value)
                message.problems = await UnfinishedSync.problems(of: daemon)
                return String(decoding: try encoder.encode(message), as: UTF8.self)
            },
            path: .sync,
            logger: logger,
            channel: channel
        )
    }

    private var progress: JSONValue {
        let status = engine.sync.status
        let imported = status.imported - before
        let members = [
            ("queue", status.queue), ("segments", imported.segments), ("transactions", imported.transactions),
            ("changes", imported.changes),
        ]
        return .object(members.map { JSONMember(key: $0.0, value: .integer(Int64($0.1))) })
    }
}

/// Finds the problems that prevent a synchronization from finishing.
enum UnfinishedSync {
    /// Codes of problems that do not prevent a synchronization; waiting segments are listed separately.
    private static let ignoredCodes: Set<String> = [
        "paused", "restart-needed", "checkpoint-failed", "values-deferred", "segments-waiting", "watch-failed",
        "watch-limit",
    ]

    static func problems(of daemon: AdminServices) async -> [StatusMessage.Problem]? {
        let sync = daemon.state.engine?.sync
        // A baseline that does not count matters only where nothing else has what is in it.
        let idle = Set((sync?.idleBaselineProblems ?? []).map { StatusReport.kebab($0.rawValue) })
        let found = await StatusReport.make(of: daemon).problems.filter { problem in
            !ignoredCodes.contains(problem.code) && !idle.contains(problem.code)
        }
        return found.isEmpty ? nil : found
    }
}

extension SyncMessage {
    init(_ result: SyncResult) {
        func amount(_ counts: ImportCounts) -> Amount {
            Amount(segments: counts.segments, transactions: counts.transactions, changes: counts.changes)
        }
        let merged = result.merged
        self.init(
            imported: amount(result.imported),
            merged: Merged(
                inserted: merged.inserted,
                updated: merged.updated,
                deleted: merged.deleted,
                everything: merged.isEverything ? true : nil
            ),
            exported: amount(result.exported),
            remaining: Dictionary(uniqueKeysWithValues: result.remaining.map { ($0.key.rawValue, $0.value) }),
            token: HistoryToken(store: result.historyName, number: result.transaction).text
        )
    }
}
