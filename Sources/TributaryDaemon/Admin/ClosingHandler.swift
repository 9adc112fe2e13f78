import NIOCore
import NIOHTTP1

/// Closes a connection after the response to an HTTP/1.0 client, or to a client that sends `Connection: close` in any
/// case.
///
/// The handler comes after the parser, where a request still has its version.
final class ClosingHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var closes = false
    private var isOldVersion = false
    /// The number of requests that were read and have no response yet: a client may send several at once.
    private var unanswered = 0
    /// Whether the request was read to its end: closing a connection with unread bytes would discard the response.
    private var isRequestRead = false

    /// Adds the handler to a connection after HTTP has been set up.
    static func add(to channel: any Channel) throws {
        let parser = try channel.pipeline.syncOperations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try channel.pipeline.syncOperations.addHandler(ClosingHandler(), position: .after(parser))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(var head):
            // Bytes after the last request of a connection are ignored.
            guard !closes else { return }
            unanswered += 1
            (closes, isOldVersion, isRequestRead) = (!head.isKeepAlive, head.version == .http1_0, false)
            if closes { head.headers.replaceOrAdd(name: "connection", value: "close") }
            context.fireChannelRead(Self.wrapInboundOut(.head(head)))
        case .body(let bytes):
            guard !isRequestRead else { return }
            context.fireChannelRead(Self.wrapInboundOut(.body(bytes)))
        case .end(let fields):
            guard !isRequestRead else { return }
            isRequestRead = true
            context.fireChannelRead(Self.wrapInboundOut(.end(fields)))
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = Self.unwrapOutboundIn(data)
        let isLast = closes && unanswered == 1
        if case .end = part { unanswered -= 1 }
        guard isLast else { return context.write(data, promise: promise) }
        switch part {
        case .head(var head):
            // An HTTP/1.0 client does not know chunked bodies: the end of the connection ends the body.
            if isOldVersion { head.version = .http1_0 }
            head.headers.replaceOrAdd(name: "connection", value: "close")
            context.write(Self.wrapOutboundOut(.head(head)), promise: promise)
        case .end where isRequestRead:
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            let channel = context.channel
            written.futureResult.whenComplete { _ in channel.close(promise: nil) }
            context.write(data, promise: written)
        case .body, .end: context.write(data, promise: promise)
        }
    }
}
