import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

/// `GET /v1/writers`: those whose transactions are in the store.
enum WritersRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let limit = try request.query.limit()
        let forked = Set(try engine.sync.segments(in: [.forked]).map(\.id.writer))
        let wall = engine.container.store.configuration.environment.wallMilliseconds()
        let records = try await engine.read { try $0.writers() }.sorted { $0.id < $1.id }
        let rest = records.filter { request.query["after"].map($0.id.description.isAfter) ?? true }
        let shown = rest.prefix(limit)
        return try .json(
            WritersMessage(
                writers: shown.map { message(of: $0, isForked: forked.contains($0.id), wall: wall) },
                next: rest.count > limit ? shown.last?.id.description : nil
            )
        )
    }

    private static func message(of record: WriterRecord, isForked: Bool, wall: UInt64) -> WritersMessage.Writer {
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
        if !record.isSelf, record.sequence > 0 {
            writer.lagSeconds = wall > record.clock.milliseconds ? Double(wall - record.clock.milliseconds) / 1_000 : 0
        }
        return writer
    }
}

extension String {
    fileprivate func isAfter(_ other: String) -> Bool { self > other }
}
