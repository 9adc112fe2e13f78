import Glibc
import NIOCore
import NIOHTTP1
package import TributaryAdmin

package struct AdminClient: Sendable {
    package var sockets: [String]
    package var timeout: Duration?

    package init(sockets: [String], timeout: Duration? = nil) {
        self.sockets = sockets
        self.timeout = timeout
    }

    /// Nil for a daemon without a unit, and when several units are possible.
    package var unit: String? {
        sockets.count == 1 ? DefaultPaths.unit(of: sockets[0]) : nil
    }

    package func send(_ call: AdminCall) async throws -> AdminResponse {
        var body: [UInt8] = []
        let head = try await stream(call) { bytes, _ in body += bytes }
        return AdminResponse(status: head.status, headers: head.headers, body: body)
    }

    /// Ends when `onEvent` returns false; a response that is not a stream of events is returned with its body.
    package func events(
        _ call: AdminCall,
        onEvent: (ServerSentEvent) async throws -> Bool
    ) async throws -> AdminResponse {
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
                for event in parser.append(bytes) where try await !onEvent(event) {
                    throw StreamEnded(head: head)
                }
            }
            return AdminResponse(status: head.status, headers: head.headers, body: body)
        } catch let ended as StreamEnded {
            return AdminResponse(status: ended.head.status, headers: ended.head.headers, body: [])
        }
    }

    private struct StreamEnded: Error {
        var head: AdminResponse
    }

    private func stream(
        _ call: AdminCall,
        onBody: ([UInt8], AdminResponse) async throws -> Void
    ) async throws -> AdminResponse {
        let (connection, path) = try await connect(sending: call)
        var head: AdminResponse?
        do {
            let isComplete = try await connection.read { part in
                switch part {
                case .head(let response): head = Self.head(of: response)
                case .body(let buffer): if let head { try await onBody(Array(buffer.readableBytesView), head) }
                case .end: break
                }
            }
            if isComplete, let head { return head }
        } catch let error as IOError where head == nil {
            throw Self.closed(path, String(cString: strerror(error.errnoCode)))
        } catch is IOError {
            throw AdminClientError.interrupted(path: path)
        } catch is HTTPParserError where head != nil {
            // The body is shorter than its head announced.
            throw AdminClientError.interrupted(path: path)
        }
        throw head == nil ? Self.closed(path, "Connection closed") : AdminClientError.interrupted(path: path)
    }

    private static func closed(_ path: String, _ reason: String) -> AdminClientError {
        .noDaemon([SocketAttempt(path: path, reason: reason + ", without an answer")])
    }

    private static func head(of response: HTTPResponseHead) -> AdminResponse {
        let fields = response.headers.map { ($0.name.lowercased(), $0.value) }
        return AdminResponse(
            status: Int(response.status.code),
            headers: Dictionary(fields, uniquingKeysWith: { $0 + ", " + $1 }),
            body: []
        )
    }

    private static func head(of call: AdminCall) -> HTTPRequestHead {
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
        return HTTPRequestHead(
            version: .http1_1,
            method: HTTPMethod(rawValue: call.method.rawValue),
            uri: call.target,
            headers: headers
        )
    }

    private static let timeLimit = Duration.seconds(10)

    private func connect(sending call: AdminCall) async throws -> (HTTPConnection, String) {
        var tried: [SocketAttempt] = []
        for path in sockets {
            do {
                return (try await connect(path, sending: call), path)
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
        throw AdminClientError.noDaemon(tried)
    }

    /// Repeats attempts while the daemon's queue of connections is full.
    private func connect(_ path: String, sending call: AdminCall) async throws -> HTTPConnection {
        let start = ContinuousClock.now
        let limit = timeout.map { duration in
            let silent = AdminClientError.silent(path: path, after: duration)
            return HTTPConnection.TimeLimit(duration: duration, isWhole: false, error: silent)
        }
        while true {
            do {
                return try await HTTPConnection(
                    to: .socket(path: path),
                    sending: Self.head(of: call),
                    body: call.body,
                    limit: limit
                )
            } catch let error as IOError
                where error.errnoCode == EAGAIN && start.duration(to: .now) < timeout ?? Self.timeLimit
            {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
