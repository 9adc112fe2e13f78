import Hummingbird
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributarySync

/// The routes of one segment: `GET` describes it, `POST …/retry` reads it again, `POST …/accept` applies a held one.
enum SegmentRoute {
    static func explain(_ request: AdminRequest) async throws -> Response {
        let name = try name(in: request)
        guard let explanation = try await request.engine().sync.explanation(of: name) else {
            throw SyncError.noSuchSegment(name)
        }
        return try .json(SegmentsMessage.Segment(explanation))
    }

    static func retry(_ request: AdminRequest) async throws -> Response {
        let name = try name(in: request)
        return try response(try await request.engine().sync.retry(name), name: name)
    }

    static func accept(_ request: AdminRequest) async throws -> Response {
        let name = try name(in: request)
        let before = try await request.engine().sync.segment(name)
        let status = try await request.engine().sync.accept(name, by: request.caller.name)
        var message = SegmentsMessage.Segment(status ?? SegmentStatus(id: name, state: .applied))
        message.acceptedBy = request.caller.name
        message.warning = [
            before?.reason,
            "What it writes wins over what anybody writes to the same values until clocks have passed its time.",
            "A local change that overwrites it gets a clock that is ahead, too: nothing is exported from then on until its "
                + "time has come. What this store writes now waits on other machines until they have taken it.",
        ].compactMap(\.self).joined(separator: " ")
        return try .json(message)
    }

    private static func response(_ status: SegmentStatus?, name: SegmentName) throws -> Response {
        try .json(SegmentsMessage.Segment(status ?? SegmentStatus(id: name, state: .applied)))
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

extension SegmentsMessage.Segment {
    init(_ explanation: SegmentExplanation) {
        self.init(explanation.status)
        if explanation.isMissing { (state, file) = ("missing", nil) }
        writerName = explanation.writerName
        missing = explanation.missing.isEmpty ? nil : explanation.missing.map { MissingMessage($0) }
        notes = explanation.notes.isEmpty ? nil : explanation.notes
    }

    init(_ status: SegmentStatus) {
        self.init(
            writer: status.id.writer.description,
            first: hexadecimal16(status.id.first),
            last: hexadecimal16(status.id.last),
            state: status.state.rawValue
        )
        reason = status.reason.isEmpty ? nil : status.reason
        file = status.file
        line = status.line
        waitingFor = status.waitingFor.isEmpty ? nil : status.waitingFor.map(\.description)
        deferred = status.deferred > 0 ? status.deferred : nil
        unknownObjects = status.unknownObjects > 0 ? status.unknownObjects : nil
        deferredValues = status.deferredValues.isEmpty ? nil : status.deferredValues.map { DeferredMessage($0) }
        since = status.since?.unixSeconds
        hint = status.hint
    }
}
