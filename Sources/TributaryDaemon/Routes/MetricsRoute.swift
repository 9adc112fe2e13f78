import Hummingbird
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

/// `GET /metrics`: counters and gauges in Prometheus's text format.
enum MetricsRoute {
    static func handle(_ request: AdminRequest) async throws -> Response { try await response(of: request.daemon) }

    static func response(of daemon: AdminServices) async throws -> Response {
        let status = await StatusReport.make(of: daemon)
        var text = MetricsText()
        text.add("tributary_up", .gauge, "1 while the daemon serves.", status.state == .running ? 1 : 0)
        text.add("tributary_uptime_seconds", .gauge, "Time since the daemon started.", status.uptimeSeconds)
        let segments = status.segments.sorted { $0.key < $1.key }.map { ([("state", $0.key)], Double($0.value)) }
        text.add("tributary_segments", .gauge, "Segments in the log folder by state.", segments)
        text.add("tributary_queue_segments", .gauge, "Segments to be looked at.", status.queue.map(Double.init))
        text.add(
            "tributary_initial_import_complete",
            .gauge,
            "1 once what was in the log folder at the start is imported.",
            status.initialImportComplete.map { $0 ? 1 : 0 }
        )
        text.add("tributary_last_import_seconds", .gauge, "Unix time of the last import.", status.lastImport)
        text.add("tributary_last_merge_seconds", .gauge, "Unix time of the last merge.", status.lastMerge)
        text.add("tributary_pending_saves", .gauge, "Saves that have not ended.", status.pendingSaves.map(Double.init))
        text.add("tributary_store_bytes", .gauge, "Size of the store's file.", status.storeBytes.map(Double.init))
        text.add("tributary_wal_bytes", .gauge, "Size of the write-ahead log.", status.walBytes.map(Double.init))
        text.add("tributary_problems", .gauge, "Problems in the status.", Double(status.problems.count))
        let deferred = status.deferred
        text.add(
            "tributary_deferred_values",
            .gauge,
            "Imported values that the model cannot represent.",
            deferred.map { Double($0.values) }
        )
        text.add(
            "tributary_unknown_objects",
            .gauge,
            "Updated objects that no known segment inserts.",
            deferred.map { Double($0.unknownObjects) }
        )
        let conflicts = status.conflicts
        text.add(
            "tributary_conflicts_total",
            .counter,
            "Values that lost against writes that their writers had not seen.",
            conflicts.map { Double($0.kept + $0.dropped) }
        )
        text.add(
            "tributary_conflicts_dropped_total",
            .counter,
            "Conflicts among tributary_conflicts_total that the journal does not keep.",
            conflicts.map { Double($0.dropped) }
        )
        let counters = daemon.counters
        text.add("tributary_admin_requests_total", .counter, "Requests to this interface.", Double(counters.requests))
        text.add("tributary_admin_streams", .gauge, "Clients that follow the changes.", Double(counters.streams))
        if let engine = daemon.state.engine { await addReads(of: engine, to: &text) }
        return .bytes(Array(text.text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private static func addReads(of engine: Engine, to text: inout MetricsText) async {
        text.add(
            "tributary_reads",
            .gauge,
            "Reads for clients that are under way or wait.",
            Double(engine.readLimiter.current)
        )
        text.add(
            "tributary_reads_cancelled_total",
            .counter,
            "Reads that ended because the client hung up.",
            Double(engine.readLimiter.cancelled)
        )
        text.add(
            "tributary_reads_timed_out_total",
            .counter,
            "Reads that took longer than they may.",
            Double(engine.readLimiter.timedOut)
        )
        let matches = LongTextMatch.census
        text.add(
            "tributary_long_matches",
            .gauge,
            "Regular expressions that are matched with a long text.",
            Double(matches.running)
        )
        text.add(
            "tributary_abandoned_matches",
            .gauge,
            "Matches among tributary_long_matches whose request has ended.",
            Double(matches.abandoned)
        )
        // Like the status, metrics do not wait for busy readers.
        let writers = await engine.readSoon { try $0.writers.all() } ?? []
        text.add(
            "tributary_writer_sequence",
            .gauge,
            "The last transaction of each writer that is applied.",
            writers.map { ([("writer", $0.id.description)], Double($0.sequence)) }
        )
        let known = engine.sync.knownTransactions(writers)
        text.add(
            "tributary_writer_behind",
            .gauge,
            "The transactions of each other writer that are known to exist and are not applied.",
            known.writers.filter { $0 != engine.sync.ownWriter }.sorted()
                .map { ([("writer", $0.description)], Double(known.behind($0))) }
        )
    }
}

struct MetricsText {
    enum Kind: String {
        case counter
        case gauge
    }

    private(set) var text = ""

    /// Adds a metric without labels; a metric without a value is left out.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        guard let value else { return }
        add(name, kind, help, [([], value)])
    }

    mutating func add(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ samples: [(labels: [(String, String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0)=\"\(MetricsText.escape($1))\"" }.joined(separator: ",")
            let value =
                sample.value == sample.value.rounded() && abs(sample.value) < 1e15
                ? String(Int64(sample.value)) : String(sample.value)
            text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
        }
    }

    private static func escape(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
