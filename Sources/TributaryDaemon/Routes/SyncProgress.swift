import Foundation
import HummingbirdCore
import Logging
import NIOCore
import TributaryAdmin
import TributaryChanges
import TributarySync

/// A synchronization as its client sees it: `progress` at once and every second, then `result` or `problem`.
struct SyncProgress: Sendable {
    let engine: Engine
    let work: Task<SyncResult, any Error>
    /// What had been imported before it began.
    let before: ImportCounts
    let logger: Logger
    let channel: any Channel

    private static let interval = Duration.seconds(1)
    /// A client that takes nothing for so long is dropped; the synchronization goes on.
    private static let patience = TimeAmount.seconds(60)

    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        let (ticks, clock) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        clock.yield()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                _ = await work.result
                clock.finish()
            }
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.interval)
                    clock.yield()
                }
            }
            for await _ in ticks { try await send(progress, to: &writer) }
        }
        try await send(ending(await work.result), to: &writer)
    }

    private var progress: ServerSentEvent {
        let status = engine.sync.status
        let imported = status.imported - before
        let members = [
            ("queue", status.queue), ("segments", imported.segments), ("transactions", imported.transactions),
            ("changes", imported.changes),
        ]
        let data = JSONValue.object(members.map { JSONMember(key: $0.0, value: .integer(Int64($0.1))) })
        return ServerSentEvent(event: "progress", data: data.text)
    }

    private func ending(_ result: Result<SyncResult, any Error>) -> ServerSentEvent {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let data = try encoder.encode(SyncMessage(try result.get()))
            return ServerSentEvent(event: "result", data: String(decoding: data, as: UTF8.self))
        } catch {
            let problem = ProblemMapping.problem(of: error, logger: logger, path: AdminPath.sync)
            let data = (try? encoder.encode(problem)) ?? Data("{}".utf8)
            return ServerSentEvent(event: "problem", data: String(decoding: data, as: UTF8.self))
        }
    }

    @concurrent
    private func send(_ event: ServerSentEvent, to writer: inout any ResponseBodyWriter) async throws {
        let drop = channel.eventLoop.scheduleTask(in: Self.patience) { [channel] in channel.close(promise: nil) }
        defer { drop.cancel() }
        try await writer.write(ByteBuffer(string: ChangeEventText.text(event)))
    }
}
