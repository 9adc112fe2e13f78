import NIOCore
import NIOHTTP1
import NIOPosix
import TributaryAdmin

// This module talks HTTP/1.1 with programs on this machine: the command with the daemon, and the daemon and the command
// with Syncthing. The messages themselves are in TributaryAdmin, which links no event loop.

/// A connection for one request and its response.
struct HTTPConnection {
    enum Peer: Sendable {
        case socket(path: String)
        case port(LoopbackAddress)
    }

    /// The time that a response may take: the time between its bytes, or the whole time since the connection.
    struct TimeLimit: Sendable {
        var duration: Duration
        var isWhole: Bool
        var error: any Error & Sendable
    }

    private typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private let channel: Channel

    /// Connects, and sends the request; throws NIO's errors.
    init(
        to peer: Peer,
        sending head: HTTPRequestHead,
        body: [UInt8]?,
        limit: TimeLimit?
    ) async throws {
        let body = body.map { HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: $0))) }
        let parts = [.head(head)] + (body.map { [$0] } ?? []) + [.end(nil)]
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let limit { bootstrap = bootstrap.connectTimeout(TimeAmount(limit.duration)) }
        let setUp: @Sendable (any NIOCore.Channel) -> EventLoopFuture<Channel> = { channel in
            channel.eventLoop.makeCompletedFuture {
                if let limit { try channel.pipeline.syncOperations.addHandler(LimitHandler(limit)) }
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(RequestSender(parts))
                return try Channel(wrappingChannelSynchronously: channel)
            }
        }
        channel =
            switch peer {
            case .socket(let path):
                try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: setUp)
            case .port(let address):
                try await bootstrap.connect(
                    to: SocketAddress(ipAddress: address.host, port: address.port),
                    channelInitializer: setUp
                )
            }
    }

    /// Passes the head and the bytes of the response to `onPart`, and closes the connection; returns false when the
    /// response has no end.
    func read(_ onPart: (HTTPClientResponsePart) async throws -> Void) async throws -> Bool {
        try await channel.executeThenClose { inbound, _ in
            for try await part in inbound {
                if case .end = part { return true }
                try await onPart(part)
            }
            return false
        }
    }
}

/// Sends a request as soon as the connection is established.
///
/// Threads of Swift tasks can be busy for longer than the daemon waits for a request on an open connection.
private final class RequestSender: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let parts: [HTTPClientRequestPart]

    init(_ parts: [HTTPClientRequestPart]) {
        self.parts = parts
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        // A failed write is ignored: the daemon may respond, for example with 413, before it has read the whole
        // request.
        for part in parts { context.write(Self.wrapOutboundOut(part), promise: nil) }
        context.flush()
    }
}

/// Ends a connection whose response takes too long.
private final class LimitHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limit: HTTPConnection.TimeLimit
    private var deadline: Scheduled<Void>?

    init(_ limit: HTTPConnection.TimeLimit) {
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) { begin(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !limit.isWhole { begin(context) }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    private func begin(_ context: ChannelHandlerContext) {
        deadline?.cancel()
        let (bound, error) = (NIOLoopBound(context, eventLoop: context.eventLoop), limit.error)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(limit.duration)) {
            bound.value.fireErrorCaught(error)
            bound.value.close(promise: nil)
        }
    }
}
