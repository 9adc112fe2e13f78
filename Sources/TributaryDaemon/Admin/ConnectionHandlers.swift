import NIOCore
import NIOHTTP1
import TributaryAdmin

/// Closes the connection after the response to HTTP/1.0 or `Connection: close`; it comes right after the parser.
final class ClosingHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var closes = false
    private var isOldVersion = false
    /// A client may send several requests at once.
    private var unanswered = 0
    /// Closing a connection with unread bytes would discard the response.
    private var isRequestRead = false

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

/// Adds a problem document to the server's own 400 for bytes that are not HTTP: only that response has no body.
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

extension ProblemDocument {
    func rawResponse(_ reason: String, fields: [String] = []) -> ByteBuffer {
        let body = text + "\n"
        let head =
            ["HTTP/1.1 \(status) \(reason)", "connection: close"] + fields
            + ["content-type: application/problem+json", "content-length: \(body.utf8.count)", "", ""]
        return ByteBuffer(string: head.joined(separator: "\r\n") + body)
    }
}
