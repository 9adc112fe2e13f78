import HTTPTypes
import Hummingbird
import HummingbirdCore
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// `GET /v1/changes`: server-sent events; `Last-Event-ID` has precedence over `after`, and without either the stream
/// starts now.
enum ChangesRoute {
    /// The number of missed objects above which a client that comes again is told their entity as a whole.
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
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: ResponseBody { writer in
                defer { withExtendedLifetime(permit) {} }
                try await stream.run(&writer)
                try await writer.finish(nil)
            }
        )
    }
}
