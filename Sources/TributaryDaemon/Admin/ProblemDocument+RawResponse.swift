import Foundation
import NIOCore
import TributaryAdmin

extension ProblemDocument {
    /// Returns the bytes of an HTTP/1.1 response with the problem as its body, for places without a server.
    func rawResponse(_ reason: String, fields: [String] = []) -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = ((try? encoder.encode(self)) ?? Data("{}".utf8)) + Data("\n".utf8)
        let head =
            ["HTTP/1.1 \(status) \(reason)", "connection: close"] + fields
            + ["content-type: application/problem+json", "content-length: \(body.count)", "", ""]
        return ByteBuffer(bytes: Data(head.joined(separator: "\r\n").utf8) + body)
    }
}
