import HummingbirdCore
import NIOCore
import Tributary
import TributaryAdmin
import TributarySync

/// The change stream of one client, from its first event to its last.
struct ChangeStream: Sendable {
    let engine: Engine
    let updates: StoreUpdates
    let shutdownBroadcast: ShutdownBroadcast
    let channel: any Channel
    let start: HistoryToken
    /// The transaction that the main context had merged when the client connected.
    let known: Int64
    /// The events to be sent after the first one: the changes between `start` and `known`.
    let pending: PendingChangeEvents
    let texts: ChangeTexts

    private static let commentInterval = Duration.seconds(15)
    private static let timeLimit = TimeAmount.seconds(60)

    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        let isImported = engine.showsInitialImport
        // What a client does not read waits in the kernel and in these bytes, before it is dropped.
        try await channel.setOption(.writeBufferWaterMark, value: .init(low: 4 << 10, high: 8 << 10)).get()
        try await send(ChangeEventText.hello(start, isInitialImportComplete: isImported), to: &writer)
        // A task that waited for the end of the connection could not be cancelled, and the stream would not end before.
        channel.closeFuture.whenComplete { _ in pending.end() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await collectUpdates(into: pending) }
            group.addTask { await collectActivities(into: pending) }
            group.addTask { await collectSegments(into: pending) }
            if !isImported { group.addTask { await collectInitialImport(into: pending) } }
            group.addTask {
                while true {
                    try await Task.sleep(for: Self.commentInterval)
                    pending.appendComment()
                }
            }
            group.addTask {
                await shutdownBroadcast.wait()
                pending.end()
            }
            defer { group.cancelAll() }
            try await sendAll(of: pending, to: &writer)
        }
    }

    private func collectUpdates(into pending: PendingChangeEvents) async {
        for await update in updates where update.token.number > known { pending.append(update) }
    }

    private func collectActivities(into pending: PendingChangeEvents) async {
        for await activity in engine.container.activities() { pending.append(ChangeEventText.activity(activity)) }
    }

    private func collectSegments(into pending: PendingChangeEvents) async {
        for await status in engine.sync.segmentEvents() { pending.append(ChangeEventText.segment(status)) }
    }

    private func collectInitialImport(into pending: PendingChangeEvents) async {
        await engine.waitForInitialImport()
        if !Task.isCancelled { pending.append(ChangeEventText.initialImport) }
    }

    @concurrent
    private func sendAll(of pending: PendingChangeEvents, to writer: inout any ResponseBodyWriter) async throws {
        for await _ in pending.wakeUps {
            for item in pending.removeAll() {
                switch item {
                case .update(let update): try await send(texts.buffer(of: update), to: &writer)
                case .event(let event): try await send(ChangeEventText.text(event), to: &writer)
                case .comment: try await send(ChangeEventText.comment, to: &writer)
                case .end: return try await send(ChangeEventText.bye, to: &writer)
                }
            }
        }
    }

    @concurrent
    private func send(_ text: String, to writer: inout any ResponseBodyWriter) async throws {
        try await send(ByteBuffer(string: text), to: &writer)
    }

    @concurrent
    private func send(_ buffer: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        let drop = channel.eventLoop.scheduleTask(in: Self.timeLimit) { [channel] in channel.close(promise: nil) }
        defer { drop.cancel() }
        try await writer.write(buffer)
    }
}
