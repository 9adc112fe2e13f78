import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TributaryAdmin
import TributaryChanges

extension Encodable {
    func jsonText() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension ProblemDocument {
    var text: String { (try? jsonText()) ?? "{}" }
}

extension Response {
    static func json(_ message: some Encodable) throws -> Response {
        bytes(Array(try message.jsonText().utf8), type: "application/json")
    }

    static func json(_ value: JSONValue) -> Response {
        var bytes: [UInt8] = []
        value.write(to: &bytes)
        return self.bytes(bytes, type: "application/json")
    }

    static func bytes(_ bytes: [UInt8], type: String) -> Response {
        var body = ByteBuffer(bytes: bytes)
        if type == "application/json" { body.writeString("\n") }
        return Response(
            status: .ok,
            headers: [.contentType: type, .contentLength: String(body.readableBytes)],
            body: ResponseBody(byteBuffer: body)
        )
    }

    static func events(
        _ send: @escaping @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                try await send(&writer)
                try await writer.finish(nil)
            }
        )
    }

    static var done: Response { json(.object([])) }

    static func problem(_ problem: ProblemDocument) -> Response {
        let body = ByteBuffer(string: problem.text + "\n")
        var headers: HTTPFields = [
            .contentType: "application/problem+json", .contentLength: String(body.readableBytes),
        ]
        if problem.status == 503 { headers[.retryAfter] = "1" }
        if problem.status == 413 { headers[.connection] = "close" }
        return Response(
            status: HTTPResponse.Status(code: problem.status),
            headers: headers,
            body: ResponseBody(byteBuffer: body)
        )
    }
}
