import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import TributaryAdmin
import TributaryChanges

/// The event stream of long work: `progress` at once and every second, then `result` or `problem`.
struct ProgressStream: Sendable {
    let progress: @Sendable () -> JSONValue
    let result: @Sendable () async throws -> String
    let path: AdminPath
    let logger: Logger
    let channel: any Channel
    /// Returns the further events between the progress and the result, by their index; nil after the last one.
    var part: @Sendable (_ index: Int) async throws -> ServerSentEvent? = { _ in nil }

    private static let interval = Duration.seconds(1)
    private static let timeLimit = TimeAmount.seconds(60)

    /// Returns the response; `abandoned` is called when the client disconnects before it has the result.
    func response(abandoned: @escaping @Sendable () -> Void = {}) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                do {
                    try await run(&writer)
                } catch {
                    abandoned()
                    throw error
                }
                try await writer.finish(nil)
            }
        )
    }

    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        let (ticks, clock) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        clock.yield()
        // The task is unstructured: the work may continue after the client has disconnected.
        let work = Task { try await result() }
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
            do {
                for await _ in ticks {
                    try await send(ServerSentEvent(event: "progress", data: progress().text), to: &writer)
                }
            } catch {
                work.cancel()
                throw error
            }
        }
        let outcome = await work.result
        if case .success = outcome {
            var index = 0
            while let event = try await part(index) {
                try await send(event, to: &writer)
                index += 1
            }
        }
        try await send(ending(outcome), to: &writer)
    }

    private func ending(_ result: Result<String, any Error>) -> ServerSentEvent {
        do {
            return ServerSentEvent(event: "result", data: try result.get())
        } catch {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let problem = ProblemMapping.problem(of: error, logger: logger, path: path.rawValue)
            let data = (try? encoder.encode(problem)) ?? Data("{}".utf8)
            return ServerSentEvent(event: "problem", data: String(decoding: data, as: UTF8.self))
        }
    }

    @concurrent
    private func send(_ event: ServerSentEvent, to writer: inout any ResponseBodyWriter) async throws {
        let drop = channel.eventLoop.scheduleTask(in: Self.timeLimit) { [channel] in channel.close(promise: nil) }
        defer { drop.cancel() }
        try await writer.write(ByteBuffer(string: ChangeEventText.text(event)))
    }
}
