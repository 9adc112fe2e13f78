import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves HTTP/1.1: the admin interface on its socket, or the status page on a loopback address.
struct AdminServer: Service {
    let place: ListeningPlace
    let respond: @Sendable (Request, any Channel) async -> Response
    /// How long connections may take to end once the engine is down.
    let drain: @Sendable () -> Duration
    let logger: Logger

    /// How long a connection may be silent, or take to send a request.
    private static let idleTimeout = TimeAmount.seconds(60)

    func run() async throws {
        let connections = ConnectionRegister()
        let http = HTTP1Channel(
            responder: { [respond] request, writer, channel in
                // Whoever reads and hangs up cancels; what was to be written is written all the same.
                let response: Response
                if request.method == .get {
                    response = await connections.serve(channel) { await respond(request, channel) }
                } else {
                    response = await respond(request, channel)
                }
                // What answers a HEAD has no body: the client would take it for the next answer.
                let body = request.method == .head ? ResponseBody() : response.body
                try await writer.write(response: response.head, body: body)
            },
            configuration: .init(idleTimeout: Self.idleTimeout)
        )
        let libraries = logger.forLibraries
        let server = try await place.bind { (channel: any Channel) -> EventLoopFuture<any Channel> in
            let isTaken = connections.add(channel)
            return channel.eventLoop.makeCompletedFuture {
                if !isTaken { try channel.pipeline.syncOperations.addHandler(RefusalHandler(most: connections.limit)) }
                // Next to the socket: it sees the bytes of each answer.
                try channel.pipeline.syncOperations.addHandler(UnreadableRequestHandler())
                return channel
            }
        }
        defer { place.remove() }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                do {
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            group.addTask {
                                // Only now, where it is sure to be served: a connection that comes in while the
                                // server ends is dropped, and one of HTTP must not be.
                                let setUp = connection.eventLoop.flatSubmit {
                                    http.setup(channel: connection, logger: libraries).flatMapThrowing { ready in
                                        try ClosingHandler.add(to: connection)
                                        return ready
                                    }
                                }
                                guard let ready = try? await setUp.get() else { return connection.close(promise: nil) }
                                connections.begin(connection)
                                await http.handle(value: ready, logger: libraries)
                            }
                        }
                    }
                } catch is CancellationError {
                    // The start failed, and tells why.
                } catch {
                    logger.error("Listening failed", metadata: ["place": "\(place)", "error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            server.channel.close(promise: nil)
            connections.quiesce()
            // What they still wait for cannot be done any more.
            let patience = TimeAmount(drain())
            MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: patience) { connections.close() }
        }
    }
}
