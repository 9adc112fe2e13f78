import Foundation
import HummingbirdCore
import NIOCore
import TributaryAdmin

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

    /// Waits for the result; a caller that is cancelled cancels the work.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

extension ClientWork where Value: Encodable {
    /// The response with the result as JSON, or with the work as an event stream for a client that asks for one.
    func response(to request: AdminRequest, _ progress: WorkProgress, path: AdminPath) async throws -> Response {
        guard request.wantsEvents else { return try .json(try await value()) }
        let stream = ProgressStream(
            progress: { progress.json },
            result: {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                return String(decoding: try encoder.encode(try await value()), as: UTF8.self)
            },
            path: path,
            logger: request.daemon.logger,
            channel: request.channel
        )
        return stream.response { cancel() }
    }
}
