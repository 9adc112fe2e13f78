import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

/// `GET /v1/writers`: each store once, under its label; a producer without a label is a store of its own.
enum WritersRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let limit = try request.query.limit()
        let after = request.query["after"]
        let (shown, hasMore) = try await messages(of: engine, limit: limit) { id, _ in
            after.map { id.description > $0 } ?? true
        }
        return try .json(WritersMessage(writers: shown, next: hasMore ? shown.last?.id : nil))
    }

    private static let seenLimit = 50_000

    static func messages(
        of engine: Engine,
        limit: Int,
        where isWanted: (_ store: UniqueID, _ writers: [UniqueID]) -> Bool
    ) async throws -> (shown: [WritersMessage.Writer], hasMore: Bool) {
        let now = engine.wallTime
        let backlogs = engine.sync.backlogs
        // The main context's generation does not move when a state changes.
        var (records, keys) = try await engine.readLimiter.run {
            try await engine.container.store.readAside { (try $0.writers.all(), try engine.sync.keys($0)) }
        }
        let known = engine.sync.knownTransactions(records)
        records += known.writers.filter { known.record(of: $0) == nil }.map { WriterRecord(unknown: $0) }
        // A baseline has the positions of writers, and not their names.
        for index in records.indices where records[index].name == nil {
            records[index].name = known.name(of: records[index].id)
        }
        records += Set(keys.keys).subtracting(records.map(\.store)).map { WriterRecord(unknown: $0) }
        let forked = engine.sync.forkedWriters
        let stores = Dictionary(grouping: records, by: \.store).sorted { $0.key < $1.key }
        var shown: [WritersMessage.Writer] = []
        var seen = 0
        for (id, writers) in stores where isWanted(id, writers.map(\.id)) {
            guard shown.count < limit, seen <= seenLimit else { return (shown, true) }
            let isForked = writers.contains { forked.contains($0.id) }
            var message = message(of: id, writers, writers.compactMap { backlogs[$0.id] }, isForked: isForked, now: now)
            let isSelf = message.state == "self"
            let own = isSelf ? engine.sync.signingKey?.publicKey : nil
            let others = keys[id, default: []].filter { $0.key != own }.map { entry in
                WritersMessage.Writer.Key(
                    key: entry.key.description,
                    state: entry.state.rawValue,
                    since: entry.since.unixSeconds
                )
            }
            let all = (own.map { [.init(key: $0.description, state: "own")] } ?? []) + others
            message.keys = all.isEmpty ? nil : all
            if !isSelf {
                message.behind = writers.reduce(0) { $0.addingSaturating(known.behind($1.id)) }
            }
            seen += message.seen.count
            shown.append(message)
        }
        return (shown, false)
    }

    private static func message(
        of store: UniqueID,
        _ writers: [WriterRecord],
        _ backlogs: [WriterBacklog],
        isForked: Bool,
        now: WallTime
    ) -> WritersMessage.Writer {
        let isSelf = writers.contains(where: \.isSelf)
        let last = writers.first(where: \.isSelf) ?? writers.max { $0.clock < $1.clock } ?? WriterRecord(unknown: store)
        var message = WritersMessage.Writer(
            id: store.description,
            name: last.name,
            sequence: last.sequence,
            clock: last.clock.description,
            state: state(of: writers, isForked: isForked)
        )
        message.writer = last.id.description
        message.writers = writers.count
        for (other, sequence) in last.seen.entries { message.seen[other.description] = sequence }
        guard !isSelf else { return message }
        if last.sequence > 0 { message.lastHeard = last.clock.wallTime.unixSeconds }
        let since = backlogs.map(\.since).min()
        message.lagSeconds = Double(since.map { now.milliseconds.subtractingSaturating($0.milliseconds) } ?? 0) / 1_000
        if !backlogs.isEmpty { message.waiting = backlogs.reduce(0) { $0 + $1.segments } }
        return message
    }

    /// A fork has precedence over the decision of an administrator, who must know about the fork.
    private static func state(of writers: [WriterRecord], isForked: Bool) -> String {
        if writers.contains(where: \.isSelf) { return "self" }
        if isForked { return "forked" }
        // An applied transaction of a store ends the eviction of the writer that wrote it.
        if let state = writers[0].state, writers.allSatisfy({ $0.state != nil }) { return state.rawValue }
        return !writers.contains(where: \.acknowledges) ? "producer" : "active"
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

enum WriterRoute {
    static func evict(_ request: AdminRequest) async throws -> Response {
        let writer = try request.uniqueID("writer")
        try await request.engine().sync.evict(writer, by: request.caller.name)
        return try await response(writer, request)
    }

    static func abandon(_ request: AdminRequest) async throws -> Response {
        let writer = try request.uniqueID("writer")
        try await request.engine().sync.abandon(writer, by: request.caller.name)
        return try await response(writer, request)
    }

    static func trust(_ request: AdminRequest) async throws -> Response { try await setTrust(.trusted, request) }

    static func revoke(_ request: AdminRequest) async throws -> Response { try await setTrust(.revoked, request) }

    private static func setTrust(_ state: TrustList.State, _ request: AdminRequest) async throws -> Response {
        let writer = try request.uniqueID("writer")
        var key: PublicKey?
        switch try await request.json()["key"] {
        case nil, .null: break
        case .string(let text)?:
            key = PublicKey(text)
            if key == nil { fallthrough }
        default:
            throw ProblemDocument(.badRequest, detail: "'key' must be \(PublicKey.form)")
        }
        try await request.engine().sync.setTrust(state, of: writer, key: key, by: request.caller.name)
        return try await response(writer, request)
    }

    static func restamp(_ request: AdminRequest) async throws -> Response {
        let restamped = try await request.engine().sync.restamp(by: request.caller.name)
        return try .json(
            RestampMessage(
                former: restamped.former.description,
                new: restamped.new.description,
                published: restamped.published,
                reissued: UInt64(restamped.count)
            )
        )
    }

    private static func response(_ writer: UniqueID, _ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        guard
            let message = try await WritersRoute.messages(
                of: engine,
                limit: 1,
                where: { $0 == writer || $1.contains(writer) }
            )
            .shown.first
        else { throw SyncError.noSuchWriter(writer) }
        return try .json(message)
    }
}
