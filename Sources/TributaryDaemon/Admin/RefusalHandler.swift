import NIOCore
import TributaryAdmin

/// Responds to a connection beyond the limit without reading a request, and closes it.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let response: ByteBuffer

    init(most: Int) {
        let problem = ProblemDocument(
            .tooManyClients,
            detail: "\(most) connections are open already",
            hint: "try again when some have ended; connections that are silent for 60 s are closed"
        )
        response = problem.rawResponse("Service Unavailable", fields: ["retry-after: 1"])
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
