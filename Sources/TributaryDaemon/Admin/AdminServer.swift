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
    let logger: Logger

    /// How long a connection may be silent, or take to send a request.
    private static let idleTimeout = TimeAmount.seconds(60)

    func run() async throws {
        let connections = ConnectionRegister()
        let http = HTTP1Channel(
            responder: { [respond] request, writer, channel in
                let response = await respond(request, channel)
                try await writer.write(response: response.head, body: response.body)
            },
            configuration: .init(idleTimeout: Self.idleTimeout)
        )
        let server = try await place.bind { [logger] channel in
            connections.add(channel)
            return channel.eventLoop.makeCompletedFuture {
                // Next to the socket: it sees the bytes of each answer.
                try channel.pipeline.syncOperations.addHandler(UnreadableRequestHandler())
            }
            .flatMap { http.setup(channel: channel, logger: logger) }
        }
        defer { place.remove() }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                do {
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            group.addTask { await http.handle(value: connection, logger: logger) }
                        }
                    }
                } catch {
                    logger.error("Listening failed", metadata: ["place": "\(place)", "error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            server.channel.close(promise: nil)
            connections.quiesce()
        }
    }
}
