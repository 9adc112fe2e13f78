import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

struct ChangeStream: Sendable {
    let engine: Engine
    let updates: StoreUpdates
    let shutdownBroadcast: ShutdownBroadcast
    let channel: any Channel
    let start: HistoryToken
    let known: Int64
    /// The changes between `start` and `known`, which follow the first event.
    let pending: PendingChangeEvents
    let texts: ChangeTexts

    private static let commentInterval = Duration.seconds(15)

    @concurrent
    func run(_ writer: inout any ResponseBodyWriter) async throws {
        let isImported = engine.showsInitialImport
        // Unread events of a client wait in the kernel and in this buffer, before the client is dropped.
        try await channel.setOption(.writeBufferWaterMark, value: .init(low: 4 << 10, high: 8 << 10)).get()
        try await send(ChangeEventText.hello(start, isInitialImportComplete: isImported), to: &writer)
        // A task that waits for the end of the connection could not be cancelled, and the stream would not end before.
        channel.closeFuture.whenComplete { _ in pending.end() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await update in updates where update.token.number > known { pending.append(update) } }
            group.addTask {
                for await activity in engine.container.activities() {
                    pending.append(ChangeEventText.activity(activity))
                }
            }
            group.addTask {
                for await status in engine.sync.segmentEvents() { pending.append(ChangeEventText.segment(status)) }
            }
            group.addTask {
                if isImported { return }
                await engine.waitForInitialImport()
                if !Task.isCancelled { pending.append(ChangeEventText.initialImport) }
            }
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
            try await sendAll(to: &writer)
        }
    }

    @concurrent
    private func sendAll(to writer: inout any ResponseBodyWriter) async throws {
        for await _ in pending.wakeUps {
            for item in pending.removeAll() {
                switch item {
                case .update(let update): try await channel.send(texts.buffer(of: update), to: &writer)
                case .event(let event): try await send(ChangeEventText.text(event), to: &writer)
                case .comment: try await send(ChangeEventText.comment, to: &writer)
                case .end: return try await send(ChangeEventText.bye, to: &writer)
                }
            }
        }
    }

    @concurrent
    private func send(_ text: String, to writer: inout any ResponseBodyWriter) async throws {
        try await channel.send(ByteBuffer(string: text), to: &writer)
    }
}

/// All updates are combined into one, without names if there are too many objects; the oldest other events are dropped.
final class PendingChangeEvents: Sendable {
    enum Item: Sendable {
        case update(StoreUpdate)
        case event(ServerSentEvent)
        case comment
        case end
    }

    private struct State {
        var update: StoreUpdate?
        var events: [ServerSentEvent] = []
        var bytes = 0
        var wantsComment = false
        var hasEnded = false
    }

    /// The greatest number of objects that updates name while an earlier update waits.
    private static let objectLimit = 250
    /// In bytes; the oldest activities and segments are dropped, because they are not needed to follow the data.
    private static let byteLimit = 8 << 10

    private let state = Mutex(State())
    private let wakeUp: AsyncStream<Void>.Continuation
    let wakeUps: AsyncStream<Void>

    init() {
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func append(_ update: StoreUpdate) {
        state.withLock { state in
            guard let waiting = state.update else {
                state.update = update
                return
            }
            var changes = waiting.changes
            if changes.count + update.changes.count > PendingChangeEvents.objectLimit {
                changes.collapseEverything()
            } else {
                changes.formUnion(update.changes)
            }
            state.update = StoreUpdate(token: update.token, changes: changes)
        }
        wakeUp.yield()
    }

    func append(_ event: ServerSentEvent) {
        state.withLock { state in
            state.events.append(event)
            state.bytes += event.data.utf8.count
            while state.bytes > PendingChangeEvents.byteLimit, state.events.count > 1 {
                state.bytes -= state.events.removeFirst().data.utf8.count
            }
        }
        wakeUp.yield()
    }

    func appendComment() {
        state.withLock { $0.wantsComment = true }
        wakeUp.yield()
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        wakeUp.yield()
    }

    func removeAll() -> [Item] {
        state.withLock { state in
            var items = state.events.map(Item.event)
            if let update = state.update { items.append(.update(update)) }
            if items.isEmpty, state.wantsComment { items.append(.comment) }
            if state.hasEnded { items.append(.end) }
            (state.events, state.bytes) = ([], 0)
            state.update = nil
            state.wantsComment = false
            return items
        }
    }
}

/// `GET /v1/changes`: `Last-Event-ID` has precedence over `after`; without either, the stream starts now.
enum ChangesRoute {
    /// A client that reconnects and has missed more objects is only told their entity as a whole.
    private static let missedLimit = 1_000

    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        guard let permit = StreamPermit(request.daemon.counters) else {
            throw ProblemDocument(
                .tooManyClients,
                detail: "\(AdminCounters.streamLimit) clients follow the changes already"
            )
        }
        let given = HTTPField.Name("Last-Event-ID").flatMap { request.request.headers[$0] } ?? request.query["after"]
        var after: Int64?
        if let given, !given.isEmpty { after = try await TokenArgument.number(given, engine: engine) }
        // The subscription starts before the generation is read, so that no update between them is missed.
        let updates = engine.container.storeUpdates()
        let now = engine.token
        var missed: StoreUpdate?
        if let after, after < now.number {
            let changes = try await engine.read {
                try $0.history.changes(after: after, through: now.number, limit: missedLimit)
            }
            missed = StoreUpdate(token: now, changes: changes)
        }
        let pending = PendingChangeEvents()
        if let missed { pending.append(missed) }
        let stream = ChangeStream(
            engine: engine,
            updates: updates,
            shutdownBroadcast: request.daemon.shutdownBroadcast,
            channel: request.channel,
            start: after.map { HistoryToken(store: engine.historyName, number: $0) } ?? now,
            known: max(after ?? now.number, now.number),
            pending: pending,
            texts: engine.changeTexts
        )
        return .events { writer in
            defer { withExtendedLifetime(permit) {} }
            try await stream.run(&writer)
        }
    }
}

enum ChangeEventText {
    static let comment = ": still here\n\n"

    static func hello(_ token: HistoryToken, isInitialImportComplete: Bool) -> String {
        let data = JSONValue.members([
            "token": .string(token.text), "initialImportComplete": .boolean(isInitialImportComplete),
        ])
        return text(ServerSentEvent(event: "hello", data: data.text))
    }

    static let initialImport = ServerSentEvent(event: "initialImport", data: "{}")

    static let bye = text(ServerSentEvent(event: "bye", data: "{}"))

    /// The only event with an ID: a client that reconnects continues after it.
    static func update(_ update: StoreUpdate) -> String {
        text(ServerSentEvent(event: "storeDidUpdate", data: data(of: update).text, id: update.token.text))
    }

    static func activity(_ activity: Activity) -> ServerSentEvent {
        ServerSentEvent(
            event: "activity",
            data: JSONValue.members([
                "number": .count(activity.number), "title": .string(activity.title),
                "phase": .string(activity.phase.rawValue),
            ]).text
        )
    }

    static func segment(_ status: SegmentStatus) -> ServerSentEvent {
        ServerSentEvent(event: "segment", data: (try? SegmentsMessage.Segment(status).jsonText()) ?? "{}")
    }

    static func text(_ event: ServerSentEvent) -> String {
        var lines = ["event: \(event.event)"]
        if let id = event.id { lines.append("id: \(id)") }
        lines.append("data: \(event.data)")
        return lines.joined(separator: "\n") + "\n\n"
    }

    private static func data(of update: StoreUpdate) -> JSONValue {
        let (number, changes) = (JSONValue.integer(update.token.number), update.changes)
        if changes.isEverything { return .members(["number": number, "everything": .boolean(true)]) }
        let collapsed = changes.collapsedEntities.sorted().map(JSONValue.string)
        return .members([
            "number": number, "inserted": byEntity(changes.inserted), "updated": byEntity(changes.updated),
            "deleted": byEntity(changes.deleted), "collapsed": collapsed.isEmpty ? nil : .array(collapsed),
        ])
    }

    private static func byEntity(_ ids: Set<ManagedObjectID>) -> JSONValue {
        let groups = Dictionary(grouping: ids, by: \.entity).sorted { $0.key < $1.key }
        return .object(
            groups.map { entity, ids in
                let texts = ids.map(\.uniqueID).sorted().map { JSONValue.string($0.description) }
                return JSONMember(key: entity, value: .array(texts))
            }
        )
    }
}

/// The clients share the newest text, because an update with many objects is large.
final class ChangeTexts: Sendable {
    private let newest = Mutex<(update: StoreUpdate, buffer: ByteBuffer)?>(nil)

    func buffer(of update: StoreUpdate) -> ByteBuffer {
        newest.withLock { newest in
            if let newest, newest.update == update { return newest.buffer }
            let buffer = ByteBuffer(string: ChangeEventText.update(update))
            newest = (update, buffer)
            return buffer
        }
    }
}
