import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import TributaryAdmin

// This folder serves the admin interface over a socket: connections and their limits, callers and their permissions,
// and errors as problem documents. Routes creates the answers.

/// Serves the admin interface on its socket, or the status page on a loopback address.
struct AdminServer: Service {
    let address: ListeningAddress
    let respond: @Sendable (Request, any Channel) async -> Response
    /// The time that open connections have to end after the engine has stopped.
    let drain: @Sendable () -> Duration
    let logger: Logger

    private static let idleTimeout = TimeAmount.seconds(60)

    func run() async throws {
        let connections = ConnectionRegister()
        let http = HTTP1Channel(
            responder: { [respond] request, writer, channel in
                // A client that closes the connection cancels a read; a write continues.
                let response: Response
                if request.method == .get {
                    response = await connections.serve(channel) { await respond(request, channel) }
                } else {
                    response = await respond(request, channel)
                }
                // The response to a HEAD request has no body: the client would read it as the next response.
                let body = request.method == .head ? ResponseBody() : response.body
                try await writer.write(response: response.head, body: body)
            },
            configuration: .init(idleTimeout: Self.idleTimeout)
        )
        let libraries = logger.forLibraries
        let server = try await address.bind { (channel: any Channel) -> EventLoopFuture<any Channel> in
            let isAdded = connections.add(channel)
            return channel.eventLoop.makeCompletedFuture {
                if !isAdded { try channel.pipeline.syncOperations.addHandler(RefusalHandler(most: connections.limit)) }
                // The handlers come right after the socket, so that they see the bytes of each response.
                try channel.pipeline.syncOperations.addHandlers(
                    [UnreadResponseHandler(), UnreadableRequestHandler(), EarlyRequestHandler()]
                )
                return channel
            }
        }
        defer { address.remove() }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                do {
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            group.addTask {
                                // HTTP is set up here, where the connection is certain to be served. A connection that
                                // arrives while the server stops is dropped, and a channel with HTTP must not be
                                // dropped.
                                let setUp = connection.eventLoop.flatSubmit {
                                    http.setup(channel: connection, logger: libraries).flatMapThrowing { ready in
                                        try ClosingHandler.add(to: connection)
                                        try EarlyRequestHandler.remove(from: connection)
                                        return ready
                                    }
                                }
                                guard let ready = try? await setUp.get() else { return connection.close(promise: nil) }
                                connections.startReading(connection)
                                await http.handle(value: ready, logger: libraries)
                            }
                        }
                    }
                } catch is CancellationError {
                    // The start failed and reports the reason.
                } catch {
                    logger.error("Listening failed", metadata: ["address": "\(address)", "error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            server.channel.close(promise: nil)
            connections.quiesce()
            // Requests that still wait cannot be finished any more.
            let timeLimit = TimeAmount(drain())
            MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: timeLimit) { connections.close() }
        }
    }
}

enum ListeningAddress: Sendable, CustomStringConvertible {
    case socket(AdminSocket)
    case loopback(LoopbackAddress)

    func bind<Connection: Sendable>(
        _ setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<Connection>
    ) async throws -> NIOAsyncChannel<Connection, Never> {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: AdminSocket.backlog)
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            // ``ConnectionRegister`` starts the reading of a connection when it is served.
            .childChannelOption(ChannelOptions.autoRead, value: false)
        switch self {
        case .socket(let socket):
            let server = try await bootstrap.bind(socket.descriptor, childChannelInitializer: setUp)
            // NIO calls listen again on the socket, with a queue of 128 whatever the option is.
            socket.listenInFull()
            return server
        case .loopback(let address):
            do {
                return try await bootstrap.bind(host: address.host, port: address.port, childChannelInitializer: setUp)
            } catch {
                throw StartFailure(
                    "admin.listen: nothing can listen on \(address): \(error)",
                    status: .badConfiguration
                )
            }
        }
    }

    func remove() {
        if case .socket(let socket) = self { socket.remove() }
    }

    var description: String {
        switch self {
        case .socket: "admin socket"
        case .loopback(let address): address.description
        }
    }
}
