import Foundation
import NIOCore
import TributaryAdmin

/// Adds a problem document to the response for bytes that are no HTTP.
///
/// When the parser fails, no route gets a request, and the server sends a 400 without a body. Every response of a route
/// has a body, so a response without one is the server's.
final class UnreadableRequestHandler: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private static let refusal = "HTTP/1.1 400 Bad Request\r\n"
    private static let emptyBody = "content-length: 0\r\n"

    private static let response: ByteBuffer = {
        let problem = ProblemDocument(
            .badRequest,
            detail: "this is not HTTP/1.1, or its head is longer than 80 KiB",
            hint: "send GET /v1/status HTTP/1.1"
        )
        return problem.rawResponse("Bad Request")
    }()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .byteBuffer(let buffer) = Self.unwrapOutboundIn(data), Self.isEmptyRefusal(buffer) else {
            return context.write(data, promise: promise)
        }
        context.write(Self.wrapOutboundOut(.byteBuffer(Self.response)), promise: promise)
    }

    private static func isEmptyRefusal(_ buffer: ByteBuffer) -> Bool {
        guard buffer.readableBytes < 256, buffer.readableBytesView.starts(with: refusal.utf8) else { return false }
        return String(buffer: buffer).lowercased().contains(emptyBody)
    }
}
