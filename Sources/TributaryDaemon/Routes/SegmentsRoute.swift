import Hummingbird
import TransactionLog
import TributaryAdmin
import TributarySync

/// `GET /v1/segments`: the segments that are not simply applied, with the reason.
enum SegmentsRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let sync = engine.sync
        var wanted: Set<SegmentState>?
        if let text = request.query["state"] {
            guard let state = SegmentState(rawValue: text) else {
                let states = SegmentState.allCases.map(\.rawValue).joined(separator: ", ")
                throw ProblemDocument(.badRequest, detail: "'state' must be one of \(states), not '\(text)'")
            }
            wanted = [state]
        }
        let limit = try request.query.limit()
        let reading: SyncService.StatusReading = { body in try await engine.read(body) }
        var statuses = try await sync.segments(in: wanted, all: try request.query.flag("all"), reading: reading)
        if let after = request.query["after"] { statuses.removeAll { cursor(of: $0) <= after } }
        // A segment may wait for each writer that its own one has seen.
        var waits = 0
        let page = statuses.prefix(limit).prefix { status in
            defer { waits += status.waitingFor.count }
            return waits <= waitLimit
        }
        let shown = try await sync.located(Array(page), reading: reading)
        return try .json(
            SegmentsMessage(
                segments: shown.map { SegmentsMessage.Segment($0) },
                next: statuses.count > page.count ? shown.last.map(cursor) : nil
            )
        )
    }

    /// The number of transactions waited for after which a list ends before its limit.
    private static let waitLimit = 50_000

    /// A cursor sorts as the segments do: writer, first and last have a fixed width; conflict copies of a name come
    /// after it.
    private static func cursor(of status: SegmentStatus) -> String {
        let name = "\(status.id.writer)/\(status.id.range)"
        return status.variant.isEmpty ? name : "\(name)/\(status.variant)"
    }
}
