import NIOCore

/// Closes a connection on which the daemon sent no bytes within the time limit.
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
