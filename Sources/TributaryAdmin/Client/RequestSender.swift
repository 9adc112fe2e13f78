import NIOCore
import NIOHTTP1

/// Sends a request as soon as the connection stands.
///
/// Tasks may get no thread for longer than the daemon waits for a request on an open connection; the channel's event
/// loop needs none of theirs.
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
        // What cannot be written is no failure: the daemon may answer, such as with 413, before it has read everything.
        for part in parts { context.write(Self.wrapOutboundOut(part), promise: nil) }
        context.flush()
    }
}
