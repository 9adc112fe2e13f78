import NIOCore
import NIOPosix
import TributaryAdmin

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
                return try await bootstrap.bind(
                    host: address.host,
                    port: address.port,
                    childChannelInitializer: setUp
                )
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
