import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization
import TransactionLog
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
            let problem = ProblemMapping.problem(of: error, logger: logger, path: path.rawValue)
            return ServerSentEvent(event: "problem", data: problem.text)
        }
    }

    @concurrent
    private func send(_ event: ServerSentEvent, to writer: inout any ResponseBodyWriter) async throws {
        try await channel.send(ByteBuffer(string: ChangeEventText.text(event)), to: &writer)
    }
}

extension Channel {
    /// Sends a part of a response, and closes the connection of a client that does not take it within a minute.
    @concurrent
    func send(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        let drop = eventLoop.scheduleTask(in: .seconds(60)) { self.close(promise: nil) }
        defer { drop.cancel() }
        try await writer.write(bytes)
    }
}

/// Long work for a client, which ends early when the client disconnects or when the daemon stops.
struct ClientWork<Value: Sendable>: Sendable {
    private let task: Task<Value, any Error>

    init(for request: AdminRequest, _ body: @escaping @Sendable () async throws -> Value) {
        let shutdown = request.daemon.shutdownBroadcast
        // The task is unstructured: it starts before the response, and is cancelled with the connection.
        let task = Task {
            try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    await shutdown.wait()
                    return nil
                }
                defer { group.cancelAll() }
                guard let result = try await group.next() ?? nil else { throw CancellationError() }
                return result
            }
        }
        self.task = task
        request.channel.closeFuture.whenComplete { _ in task.cancel() }
    }

    func cancel() { task.cancel() }

    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension ClientWork where Value: Encodable {
    func response(to request: AdminRequest, _ progress: WorkProgress, path: AdminPath) async throws -> Response {
        guard request.wantsEvents else { return try .json(try await value()) }
        let stream = ProgressStream(
            progress: { progress.json },
            result: { try await value().jsonText() },
            path: path,
            logger: request.daemon.logger,
            channel: request.channel
        )
        return stream.response { cancel() }
    }
}

final class WorkProgress: Sendable {
    private struct State {
        var phase: String
        var done: Int64 = 0
        var total: Int64?
    }

    private let state: Mutex<State>

    init(phase: String) {
        state = Mutex(State(phase: phase))
    }

    func set(phase: String, done: Int64 = 0, total: Int64? = nil) {
        state.withLock { $0 = State(phase: phase, done: done, total: total) }
    }

    var json: JSONValue {
        let state = state.withLock { $0 }
        return .members([
            "phase": .string(state.phase), "done": .integer(state.done), "total": state.total.map(JSONValue.integer),
        ])
    }
}
