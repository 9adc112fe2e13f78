import NIOCore
import NIOPosix
import TributaryAdmin

/// Where a server listens.
enum ListeningPlace: Sendable, CustomStringConvertible {
    /// A Unix socket that is listening already.
    case socket(AdminSocket)
    case loopback(LoopbackAddress)

    /// Begins to take connections.
    ///
    /// - Throws: ``StartFailure`` when the address is taken.
    func bind<Connection: Sendable>(
        _ setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<Connection>
    ) async throws -> NIOAsyncChannel<Connection, Never> {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: AdminSocket.backlog)
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            // What a connection says is read once it is served.
            .childChannelOption(ChannelOptions.autoRead, value: false)
        switch self {
        case .socket(let socket):
            let server = try await bootstrap.bind(socket.descriptor, childChannelInitializer: setUp)
            // NIO listens anew on a socket that listens already, with a queue of 128 whatever the option says.
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

    /// Removes what listening leaves behind.
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
