import Glibc
import NIOCore
import Synchronization

final class ConnectionRegister: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: any Channel] = [:]
        var work: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isQuiescing = false
    }

    static let usualLimit = 2 * AdminCounters.streamLimit

    let limit: Int
    private let state = Mutex(State())

    init(limit: Int = ConnectionRegister.limit(descriptors: ConnectionRegister.descriptorLimit())) {
        self.limit = limit
    }

    /// Leaves half of the file descriptors to the store and the log folder.
    static func limit(descriptors: UInt64) -> Int {
        min(usualLimit, max(16, Int(clamping: descriptors / 2)))
    }

    private static func descriptorLimit() -> UInt64 {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 1024 }
        return UInt64(limits.rlim_cur)
    }

    func add(_ channel: any Channel) -> Bool {
        let isAdded = state.withLock { state in
            guard state.connections.count < limit else { return false }
            state.connections[ObjectIdentifier(channel)] = channel
            return true
        }
        guard isAdded else { return false }
        channel.closeFuture.whenComplete { [weak self] _ in
            let cancel = self?.state.withLock { state in
                state.connections[ObjectIdentifier(channel)] = nil
                return state.work.removeValue(forKey: ObjectIdentifier(channel))
            }
            cancel?()
        }
        return true
    }

    func startReading(_ channel: any Channel) {
        channel.setOption(ChannelOptions.autoRead, value: true).whenFailure { _ in channel.close(promise: nil) }
        if state.withLock(\.isQuiescing) { quiesce(channel) }
    }

    /// The task of `body` is cancelled when the client closes the connection.
    func serve<T: Sendable>(_ channel: any Channel, _ body: @escaping @Sendable () async -> T) async -> T {
        // The task is unstructured, so that the end of the connection can cancel it.
        let work = Task { await body() }
        let isOpen = state.withLock { state in
            guard state.connections[ObjectIdentifier(channel)] != nil else { return false }
            state.work[ObjectIdentifier(channel)] = { work.cancel() }
            return true
        }
        if !isOpen { work.cancel() }
        defer { state.withLock { _ = $0.work.removeValue(forKey: ObjectIdentifier(channel)) } }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }

    func quiesce() {
        let connections = state.withLock { state in
            state.isQuiescing = true
            return Array(state.connections.values)
        }
        for connection in connections { quiesce(connection) }
    }

    func close() {
        for connection in state.withLock({ Array($0.connections.values) }) { connection.close(promise: nil) }
    }

    private func quiesce(_ channel: any Channel) {
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
}

/// Closes a connection if its client has ceased to read while the server stops.
final class UnreadResponseHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    /// The numbers of writes that the kernel has not accepted yet, and has accepted.
    private var pending = 0
    private var taken = 0
    private static let patience = TimeAmount.milliseconds(250)

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        pending += 1
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in
            handler.value.pending -= 1
            handler.value.taken += 1
        }
        context.write(data, promise: written)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { watch(context.channel, taken: -1, unread: .max) }
        context.fireUserInboundEventTriggered(event)
    }

    private func watch(_ channel: any Channel, taken before: Int, unread bytes: Int) {
        guard channel.isActive else { return }
        let unread = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        guard pending == 0 || taken != before || unread < bytes else { return channel.close(promise: nil) }
        let handler = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let taken = taken
        channel.eventLoop.scheduleTask(in: Self.patience) {
            handler.value.watch(channel, taken: taken, unread: unread)
        }
    }
}

/// Keeps early bytes: NIO reads at once from a client that has closed its side, before its connection is served.
final class EarlyRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var waiting: [NIOAny] = []
    private var isInputClosed = false

    static func remove(from channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        let handler = try pipeline.context(handlerType: EarlyRequestHandler.self)
        pipeline.removeHandler(context: handler, promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { waiting.append(data) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            isInputClosed = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        for data in waiting { context.fireChannelRead(data) }
        if !waiting.isEmpty { context.fireChannelReadComplete() }
        if isInputClosed { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
        context.leavePipeline(removalToken: removalToken)
    }
}
