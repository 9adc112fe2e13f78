import Foundation
import NIOCore
import TributaryAdmin

/// Answers a connection that is one too many, before it has said anything, and ends it.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: ByteBuffer

    /// `most` is how many connections there are already.
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
        answer = ByteBuffer(bytes: Data(head.joined(separator: "\r\n").utf8) + body)
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        context.writeAndFlush(Self.wrapOutboundOut(answer)).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
            // Closed at once it would lose the answer to a client that is still sending.
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing that it says matters any more.
    }
}
