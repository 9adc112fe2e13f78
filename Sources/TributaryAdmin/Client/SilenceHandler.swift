import NIOCore

/// Ends a connection on which the daemon has said nothing for too long.
final class SilenceHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let error: AdminClientError

    init(_ error: AdminClientError) {
        self.error = error
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case IdleStateHandler.IdleStateEvent.read = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}
