import NIOCore
import Synchronization

/// The open connections of a server, to be told when it is time to end.
final class ConnectionRegister: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: any Channel] = [:]
        var isQuiescing = false
    }

    private let state = Mutex(State())

    /// Remembers a connection until it closes.
    func add(_ channel: any Channel) {
        let isQuiescing = state.withLock { state in
            state.connections[ObjectIdentifier(channel)] = channel
            return state.isQuiescing
        }
        channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(channel)) }
        }
        if isQuiescing { quiesce(channel) }
    }

    /// Idle connections close now, the others when their answer is out.
    func quiesce() {
        let connections = state.withLock { state in
            state.isQuiescing = true
            return Array(state.connections.values)
        }
        for connection in connections { quiesce(connection) }
    }

    private func quiesce(_ channel: any Channel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}
