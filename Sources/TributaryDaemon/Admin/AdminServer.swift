import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves HTTP/1.1 on a socket that is listening already.
struct AdminServer: Service {
    let socket: AdminSocket
    let responder: AdminResponder
    let logger: Logger

    /// How long a connection may be silent, or take to send a request.
    private static let idleTimeout = TimeAmount.seconds(60)

    func run() async throws {
        let connections = ConnectionRegister()
        let http = HTTP1Channel(
            responder: { [responder] request, writer, channel in
                let response = await responder.respond(to: request, channel: channel)
                try await writer.write(response: response.head, body: response.body)
            },
            configuration: .init(idleTimeout: Self.idleTimeout)
        )
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .bind(socket.descriptor) { [logger] channel in
                connections.add(channel)
                return http.setup(channel: channel, logger: logger)
            }
        defer { socket.remove() }
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                do {
                    try await server.executeThenClose { inbound in
                        for try await connection in inbound {
                            group.addTask { await http.handle(value: connection, logger: logger) }
                        }
                    }
                } catch {
                    logger.error("The admin socket failed", metadata: ["error": "\(error)"])
                }
            }
        } onGracefulShutdown: {
            server.channel.close(promise: nil)
            connections.quiesce()
        }
    }
}
