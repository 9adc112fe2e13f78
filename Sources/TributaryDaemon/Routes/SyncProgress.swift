import Foundation
import HummingbirdCore
import Logging
import NIOCore
import TributaryAdmin
import TributaryChanges
import TributarySync

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
