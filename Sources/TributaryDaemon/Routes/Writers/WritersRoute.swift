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
        let after = request.query["after"]
        let (shown, hasMore) = try await messages(of: engine, limit: limit) { id in
            after.map { id.description > $0 } ?? true
        }
        return try .json(WritersMessage(writers: shown, next: hasMore ? shown.last?.id : nil))
    }

    /// The number of sequences of other writers after which a list ends before its limit.
    private static let seenLimit = 50_000

    static func messages(
        of engine: Engine,
        limit: Int,
        where isWanted: (UniqueID) -> Bool
    ) async throws -> (shown: [WritersMessage.Writer], hasMore: Bool) {
        let now = engine.wallTime
        let backlogs = engine.sync.backlogs
        // The main context's generation does not move when a state changes.
        var records = try await engine.readLimiter.run {
            try await engine.container.store.readAside { try $0.writers.all() }
        }
        let known = engine.sync.knownTransactions(records)
        records += known.writers.filter { known.record(of: $0) == nil }.map { id in
            var record = WriterRecord(unknown: id)
            record.name = known.name(of: id)
            return record
        }
        records.sort { $0.id < $1.id }
        var shown: [WritersMessage.Writer] = []
        var seen = 0
        for record in records where isWanted(record.id) {
            guard shown.count < limit, seen <= seenLimit else { return (shown, true) }
            var writer = message(of: record, backlogs[record.id], now: now)
            if !record.isSelf { writer.behind = known.behind(record.id) }
            seen += writer.seen.count
            shown.append(writer)
        }
        return (shown, false)
    }

    private static func message(
        of record: WriterRecord,
        _ backlog: WriterBacklog?,
        now: WallTime
    ) -> WritersMessage.Writer {
        var writer = WritersMessage.Writer(
            id: record.id.description,
            name: record.name,
            sequence: record.sequence,
            clock: record.clock.description,
            state: state(of: record)
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

    /// A decision of an administrator comes before the branches of the writer's log.
    private static func state(of record: WriterRecord) -> String {
        if record.isSelf { return "self" }
        if let state = record.state, state != .former { return state.rawValue }
        if !record.branches.isEmpty { return "forked" }
        return record.state?.rawValue ?? (record.seen.isEmpty ? "producer" : "active")
    }
}

extension WriterRecord {
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
