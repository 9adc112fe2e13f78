import NIOCore
import NIOHTTP1

/// Sends a request as soon as the connection is established.
///
/// The channel's event loop sends it without the threads of Swift tasks, which can be busy for longer than the daemon
/// waits for a request on an open connection.
final class RequestSender: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let parts: [HTTPClientRequestPart]

    init(_ parts: [HTTPClientRequestPart]) {
        self.parts = parts
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        // A failed write is ignored: the daemon may respond, such as with 413, before it has read the whole request.
        for part in parts { context.write(Self.wrapOutboundOut(part), promise: nil) }
        context.flush()
    }
}
