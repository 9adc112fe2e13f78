import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// Talks HTTP/1.1 to the daemon over its Unix socket, one connection a request.
package struct AdminClient: Sendable {
    /// The sockets to try, in order; the first that accepts a connection is used.
    package var sockets: [String]
    /// How long the daemon may say nothing; nil is for ever.
    package var timeout: Duration?

    package init(sockets: [String], timeout: Duration? = nil) {
        self.sockets = sockets
        self.timeout = timeout
    }

    package init(socket: String) {
        sockets = [socket]
    }

    /// Sends a request and waits for the whole answer.
    package func send(_ call: AdminCall) async throws -> AdminAnswer {
        var body: [UInt8] = []
        let head = try await stream(call) { bytes in body += bytes }
        return AdminAnswer(status: head.status, headers: head.headers, body: body)
    }

    /// Sends a request and hands the answer's events to `onEvent` until it answers false or the daemon ends the stream.
    ///
    /// An answer that is not a stream of events is returned whole.
    package func events(
        _ call: AdminCall,
        onEvent: (ServerSentEvent) async throws -> Bool
    ) async throws -> AdminAnswer {
        var call = call
        call.headers["accept"] = "text/event-stream"
        var parser = ServerSentEventParser()
        var body: [UInt8] = []
        do {
            let head = try await stream(call) { bytes, head in
                guard head.headers["content-type"]?.hasPrefix("text/event-stream") == true else {
                    body += bytes
                    return
                }
                for event in parser.take(bytes) where try await !onEvent(event) {
                    throw StreamEnded(head: head)
                }
            }
            return AdminAnswer(status: head.status, headers: head.headers, body: body)
        } catch let ended as StreamEnded {
            return AdminAnswer(status: ended.head.status, headers: ended.head.headers, body: [])
        }
    }

    private struct StreamEnded: Error {
        var head: AdminAnswer
    }

    private func stream(_ call: AdminCall, onBody: ([UInt8]) async throws -> Void) async throws -> AdminAnswer {
        try await stream(call) { bytes, _ in try await onBody(bytes) }
    }

    /// Returns the answer's head, with an empty body, once `onBody` has had all bytes.
    private func stream(
        _ call: AdminCall,
        onBody: ([UInt8], AdminAnswer) async throws -> Void
    ) async throws -> AdminAnswer {
        let (channel, path) = try await connect(sending: Self.parts(of: call))
        return try await channel.executeThenClose { inbound, _ in
            var head: AdminAnswer?
            do {
                for try await part in inbound {
                    switch part {
                    case .head(let response):
                        head = Self.head(of: response)
                    case .body(let buffer):
                        if let head { try await onBody(Array(buffer.readableBytesView), head) }
                    case .end:
                        if let head { return head }
                    }
                }
            } catch let error as IOError where head == nil {
                throw Self.closed(path, String(cString: strerror(error.errnoCode)))
            } catch is IOError {
                throw AdminClientError.interrupted(path: path)
            }
            throw head == nil ? Self.closed(path, "Connection closed") : AdminClientError.interrupted(path: path)
        }
    }

    /// Whoever held the socket has closed it: a daemon that could not start.
    private static func closed(_ path: String, _ reason: String) -> AdminClientError {
        .nobodyAnswers([SocketAttempt(path: path, reason: reason + ", without an answer")])
    }

    private static func head(of response: HTTPResponseHead) -> AdminAnswer {
        let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
        return AdminAnswer(
            status: Int(response.status.code),
            headers: Dictionary(fields, uniquingKeysWith: { $0 + ", " + $1 }),
            body: []
        )
    }

    private static func parts(of call: AdminCall) -> [HTTPClientRequestPart] {
        var headers = HTTPHeaders([("host", "localhost"), ("connection", "close")])
        for (name, value) in call.headers { headers.replaceOrAdd(name: name, value: value) }
        if let body = call.body {
            headers.replaceOrAdd(name: "content-length", value: String(body.count))
            if !headers.contains(name: "content-type") {
                headers.add(name: "content-type", value: "application/json")
            }
        } else if call.method != .get {
            headers.replaceOrAdd(name: "content-length", value: "0")
        }
        let head = HTTPRequestHead(
            version: .http1_1,
            method: HTTPMethod(rawValue: call.method.rawValue),
            uri: call.target,
            headers: headers
        )
        var parts: [HTTPClientRequestPart] = [.head(head)]
        if let body = call.body { parts.append(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
        return parts + [.end(nil)]
    }

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// How long a connection may take.
    private static let patience = Duration.seconds(10)

    private func connect(sending parts: [HTTPClientRequestPart]) async throws -> (Connection, String) {
        var tried: [SocketAttempt] = []
        for path in sockets {
            do {
                return (try await connect(path, sending: parts), path)
            } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM {
                throw AdminClientError.notPermitted(path: path)
            } catch let error as AdminClientError {
                throw error
            } catch let error as IOError {
                tried.append(SocketAttempt(path: path, reason: String(cString: strerror(error.errnoCode))))
            } catch {
                tried.append(SocketAttempt(path: path, reason: "\(error)"))
            }
        }
        throw AdminClientError.nobodyAnswers(tried)
    }

    /// A daemon whose queue of connections is full is there and busy: it is tried again for a while.
    private func connect(_ path: String, sending parts: [HTTPClientRequestPart]) async throws -> Connection {
        let start = ContinuousClock.now
        let patience = timeout ?? Self.patience
        while true {
            do {
                return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(unixDomainSocketPath: path) { channel in
                        channel.eventLoop.makeCompletedFuture {
                            if let timeout {
                                let silent = AdminClientError.silent(path: path, after: timeout)
                                try channel.pipeline.syncOperations.addHandlers([
                                    IdleStateHandler(readTimeout: TimeAmount(timeout)), SilenceHandler(silent),
                                ])
                            }
                            try channel.pipeline.syncOperations.addHTTPClientHandlers()
                            try channel.pipeline.syncOperations.addHandler(RequestSender(parts))
                            return try Connection(wrappingChannelSynchronously: channel)
                        }
                    }
            } catch let error as IOError where error.errnoCode == EAGAIN && start.duration(to: .now) < patience {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
