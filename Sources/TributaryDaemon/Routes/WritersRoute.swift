import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

/// `GET /v1/writers`: writers with transactions in the store, and writers of which no segment is applied yet.
enum WritersRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let limit = try request.query.limit()
        let forked = Set(try await engine.sync.segments(in: [.forked]).map(\.id.writer))
        let now = engine.wallTime
        let backlogs = engine.sync.backlogs
        var records = try await engine.read { try $0.writers.all() }
        let known = Set(records.map(\.id))
        records += backlogs.keys.filter { !known.contains($0) }.map { WriterRecord(unknown: $0) }
        records.sort { $0.id < $1.id }
        let rest = records.filter { request.query["after"].map($0.id.description.isAfter) ?? true }
        let shown = rest.prefix(limit)
        return try .json(
            WritersMessage(
                writers: shown.map { message(of: $0, isForked: forked.contains($0.id), backlogs[$0.id], now: now) },
                next: rest.count > limit ? shown.last?.id.description : nil
            )
        )
    }

    private static func message(of record: WriterRecord, isForked: Bool, _ backlog: WriterBacklog?, now: WallTime)
        -> WritersMessage.Writer
    {
        let state = record.isSelf ? "self" : isForked ? "forked" : record.seen.isEmpty ? "producer" : "active"
        var writer = WritersMessage.Writer(
            id: record.id.description,
            name: record.name,
            sequence: record.sequence,
            clock: record.clock.description,
            state: state
        )
        let seen = record.seen.entries.map { ($0.key.description, $0.value) }
        writer.seen = Dictionary(seen, uniquingKeysWith: max)
        if !record.isSelf {
            if record.sequence > 0 { writer.lastHeard = record.clock.wallTime.unixSeconds }
            let lag = backlog.map { now.milliseconds.subtractingSaturating($0.since.milliseconds) } ?? 0
            writer.lagSeconds = Double(lag) / 1_000
            writer.waiting = backlog?.segments
        }
        return writer
    }
}

extension WriterRecord {
    /// Creates the message of a writer with segments, none of which is applied.
    fileprivate init(unknown id: UniqueID) {
        self.init(
            id: id,
            name: nil,
            sequence: 0,
            clock: .zero,
            lastSegmentHash: nil,
            seen: VersionVector(),
            isSelf: false
        )
    }
}

extension String {
    fileprivate func isAfter(_ other: String) -> Bool { self > other }
}
