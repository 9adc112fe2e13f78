import Hummingbird
import NIOCore
import Synchronization
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributarySync

/// The response is the result, or an event stream: `progress` at once and every second, then `result` or `problem`.
struct LongWork<Value: Sendable>: Sendable {
    private let request: AdminRequest
    private let endsWithClient: Bool
    private let task: Task<Value, any Error>

    /// Ends early when the client disconnects or when the daemon stops.
    init(for request: AdminRequest, _ body: @escaping @Sendable () async throws -> Value) {
        self.request = request
        endsWithClient = true
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

    init(toTheEndFor request: AdminRequest, _ body: @escaping @Sendable () async throws -> Value) {
        self.request = request
        endsWithClient = false
        // The task is not a child of the response: it must continue when the client disconnects.
        task = Task { try await body() }
    }

    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            abandon()
        }
    }

    static func response(
        to request: AdminRequest,
        holding lock: WorkLock,
        phase: String,
        _ body: @escaping @Sendable (@escaping StoreCheck.Progress) async throws -> Value
    ) async throws -> Response where Value: Encodable {
        let hold = try lock.hold(for: request.caller)
        let progress = WorkProgress(phase: phase)
        let work = LongWork(for: request) {
            defer { hold.release() }
            return try await body(progress.set)
        }
        return try await work.response(progress: { progress.json }, result: { try $0.jsonText() })
    }

    /// `part` returns further events before the result, by their index; nil after the last event.
    func response(
        progress: @escaping @Sendable () -> JSONValue,
        result json: @escaping @Sendable (Value) throws -> String,
        part: @escaping @Sendable (Value, _ index: Int) async throws -> ServerSentEvent? = { _, _ in nil }
    ) async throws -> Response {
        guard request.wantsEvents else {
            return .bytes(Array(try json(try await value()).utf8), type: "application/json")
        }
        return .events { writer in
            do {
                try await sendProgress(progress, to: &writer)
                let result = await task.result
                if case .success(let value) = result {
                    var index = 0
                    while let event = try await part(value, index) {
                        try await send(event, to: &writer)
                        index += 1
                    }
                }
                try await send(ending(result, json), to: &writer)
            } catch {
                abandon()
                throw error
            }
        }
    }

    private static var interval: Duration { .seconds(1) }

    @concurrent
    private func sendProgress(
        _ progress: @Sendable () -> JSONValue,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        let (ticks, clock) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        clock.yield()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                _ = await task.result
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
                abandon()
                throw error
            }
        }
    }

    private func abandon() {
        if endsWithClient { task.cancel() }
    }

    private func ending(_ result: Result<Value, any Error>, _ json: (Value) throws -> String) -> ServerSentEvent {
        do {
            return ServerSentEvent(event: "result", data: try json(try result.get()))
        } catch {
            let logger = request.daemon.logger
            let problem = ProblemMapping.problem(of: error, logger: logger, path: request.route.path.rawValue)
            return ServerSentEvent(event: "problem", data: problem.text)
        }
    }

    @concurrent
    private func send(_ event: ServerSentEvent, to writer: inout any ResponseBodyWriter) async throws {
        try await request.channel.send(ByteBuffer(string: ChangeEventText.text(event)), to: &writer)
    }
}

extension Channel {
    /// Closes the connection if the client does not accept the bytes within a minute.
    @concurrent
    func send(_ bytes: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        let drop = eventLoop.scheduleTask(in: .seconds(60)) { self.close(promise: nil) }
        defer { drop.cancel() }
        try await writer.write(bytes)
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

    func set(phase: String, done: Int64, total: Int64?) {
        state.withLock { $0 = State(phase: phase, done: done, total: total) }
    }

    var json: JSONValue {
        let state = state.withLock { $0 }
        return .members([
            "phase": .string(state.phase), "done": .integer(state.done), "total": state.total.map(JSONValue.integer),
        ])
    }
}
