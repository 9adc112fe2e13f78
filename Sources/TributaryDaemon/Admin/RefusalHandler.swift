import Foundation
import NIOCore
import TributaryAdmin

/// Responds to a connection beyond the limit without reading a request, and closes it.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let response: ByteBuffer

    /// Creates a handler; `most` is the greatest number of connections.
    init(most: Int) {
        let problem = ProblemDocument(
            .tooManyClients,
            detail: "\(most) connections are open already",
            hint: "try again when some have ended; connections that are silent for 60 s are closed"
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body = ((try? encoder.encode(problem)) ?? Data("{}".utf8)) + Data("\n".utf8)
        let head = [
            "HTTP/1.1 \(problem.status) Service Unavailable", "connection: close", "retry-after: 1",
            "content-type: application/problem+json", "content-length: \(body.count)", "", "",
        ]
        response = ByteBuffer(bytes: Data(head.joined(separator: "\r\n").utf8) + body)
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        context.writeAndFlush(Self.wrapOutboundOut(response)).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
            // Closing at once would discard the response for a client that is still sending.
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Bytes of the client are ignored.
    }
}
