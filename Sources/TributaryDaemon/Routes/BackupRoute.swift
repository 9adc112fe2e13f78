import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Tributary
import TributaryAdmin
import TributaryChanges

/// `POST /v1/backup`: streams a consistent copy of the store, one backup at a time.
///
/// With `Accept: text/event-stream` it sends progress events, the bytes in events `part`, and ends with `result` or
/// `problem`. It stops when the client disconnects.
enum BackupRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let hold = try request.daemon.backupLock.hold(for: request.caller)
        let progress = WorkProgress(phase: "copying")
        let store = engine.container.store
        let work = ClientWork(for: request) {
            do {
                return try await BackupFile(of: store, hold: hold, progress: progress)
            } catch {
                hold.release()
                throw error
            }
        }
        guard request.wantsEvents else { return plain(try await work.value()) }
        let stream = ProgressStream(
            progress: { progress.json },
            result: { try await work.value().message.text },
            path: .backup,
            logger: request.daemon.logger,
            channel: request.channel,
            part: { index in
                guard let bytes = try await work.value().portion(index) else { return nil }
                return ServerSentEvent(event: "part", data: "{\"bytes\":\"\(Data(bytes).base64EncodedString())\"}")
            }
        )
        return stream.response { work.cancel() }
    }

    private static func plain(_ file: BackupFile) -> Response {
        var headers: HTTPFields = [
            .contentType: "application/vnd.sqlite3", .contentLength: String(file.message.bytes),
        ]
        if let name = HTTPField.Name("Repr-Digest") {
            headers[name] = "sha-256=:\(Data(file.digest).base64EncodedString()):"
        }
        if file.message.missingValues > 0, let name = HTTPField.Name("Tributary-Missing-Values") {
            headers[name] = String(file.message.missingValues)
        }
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(contentLength: Int(file.message.bytes)) { writer in
                var index = 0
                while let bytes = try await file.portion(index) {
                    try await writer.write(ByteBuffer(bytes: bytes))
                    index += 1
                }
                try await writer.finish(nil)
            }
        )
    }
}

extension BackupMessage {
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
