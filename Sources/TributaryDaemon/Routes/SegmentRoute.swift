import Hummingbird
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

/// `GET` describes a segment, `POST …/retry` reads it again, and `POST …/accept` applies a held segment.
enum SegmentRoute {
    static func explain(_ request: AdminRequest) async throws -> Response {
        let name = try name(in: request)
        guard let explanation = try await request.engine().sync.explanation(of: name) else {
            throw SyncError.noSuchSegment(name)
        }
        return try .json(explanation)
    }

    static func retry(_ request: AdminRequest) async throws -> Response {
        let name = try name(in: request)
        return try .json(message(try await request.engine().sync.retry(name), name))
    }

    static func accept(_ request: AdminRequest) async throws -> Response {
        let name = try name(in: request)
        let before = try await request.engine().sync.segment(name)
        let status = try await request.engine().sync.accept(name, by: request.caller.name)
        var message = message(status, name)
        message.acceptedBy = request.caller.name
        message.warning = warning(before)
        return try .json(message)
    }

    static func warning(_ held: SegmentStatus?) -> String {
        let ahead =
            "Its writes win over all other writes to the same values until clocks have passed its time. A local "
            + "change that overwrites it gets a clock that is ahead, too."
        let texts = [
            held?.reason, held?.isAhead == true ? ahead : nil,
            "New transactions of this store wait on other machines until they have applied the segment.",
        ]
        return texts.compactMap(\.self).joined(separator: " ")
    }

    private static func message(_ status: SegmentStatus?, _ name: SegmentName) -> SegmentsMessage.Segment {
        SegmentsMessage.Segment(status ?? SegmentStatus(id: name, state: .applied))
    }

    private static func name(in request: AdminRequest) throws(ProblemDocument) -> SegmentName {
        let writer = try request.parameter("writer")
        let range = try request.parameter("range")
        guard let id = UniqueID(writer), let name = SegmentName(writer: id, fileName: range + ".tlog") else {
            throw ProblemDocument(
                .badRequest,
                detail:
                    "'\(writer)/\(range)' names no segment: it is the writer's UUID and two sequences of 16 hexadecimal digits"
            )
        }
        return name
    }
}

/// `GET /v1/segments`: the segments that are not applied or have remarks, with the reason.
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
        // A segment may wait for every writer that its own writer has seen.
        var waits = 0
        let page = statuses.prefix(limit).prefix { status in
            defer { waits += status.waitingFor.count }
            return waits <= waitLimit
        }
        var shown = try await sync.located(Array(page), reading: reading)
        let records = shown.isEmpty ? [] : try await engine.read { try $0.writers.all() }
        let known = sync.knownTransactions(records)
        for index in shown.indices { shown[index].reason = known.naming(shown[index].reason) }
        return try .json(
            SegmentsMessage(
                segments: shown.map { status in
                    var segment = SegmentsMessage.Segment(status)
                    segment.writerName = known.name(of: status.id.writer)
                    return segment
                },
                next: statuses.count > page.count ? shown.last.map(cursor) : nil
            )
        )
    }

    /// A list ends before its limit when it contains this number of awaited transactions.
    private static let waitLimit = 50_000

    /// Sorts as the segments do: writer, first and last have a fixed width, and a conflict copy follows its segment.
    private static func cursor(of status: SegmentStatus) -> String {
        let name = "\(status.id.writer)/\(status.id.range)"
        return status.variant.isEmpty ? name : "\(name)/\(status.variant)"
    }
}
