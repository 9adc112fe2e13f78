import Hummingbird
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryModel
import TributaryStore
import TributarySync

enum MetricsRoute {
    static func response(of daemon: AdminServices) async throws -> Response {
        let status = await StatusReport.make(of: daemon)
        var text = MetricsText()
        text.add("tributary_build_info", .gauge, "1, with the program's version.", [([("version", status.version)], 1)])
        ProcessMetrics.add(to: &text)
        text.gauge("tributary_up", "1 while the daemon serves.", status.state == .running ? 1 : 0)
        text.gauge("tributary_uptime_seconds", "Time since the daemon started.", status.uptimeSeconds)
        let segments = status.segments.sorted { $0.key < $1.key }.map { ([("state", $0.key)], Double($0.value)) }
        text.add("tributary_segments", .gauge, "Segments in the log folder by state.", segments)
        text.gauge("tributary_queue_segments", "Segments to be looked at.", status.queue.map(Double.init))
        let imported = "1 once the files that were in the log folder at the start are imported."
        text.gauge("tributary_initial_import_complete", imported, status.initialImportComplete.map { $0 ? 1 : 0 })
        text.gauge("tributary_last_import_timestamp_seconds", "Unix time of the last import.", status.lastImport)
        text.gauge("tributary_last_merge_timestamp_seconds", "Unix time of the last merge.", status.lastMerge)
        text.gauge("tributary_pending_saves", "Saves that have not ended.", status.pendingSaves.map(Double.init))
        text.gauge("tributary_store_bytes", "Size of the store's file.", status.storeBytes.map(Double.init))
        text.gauge("tributary_wal_bytes", "Size of the write-ahead log.", status.walBytes.map(Double.init))
        addDisks(status.disks ?? [], to: &text)
        text.gauge("tributary_problems", "Problems in the status.", Double(status.problems.count))
        text.gauge("tributary_notices", "Notices in the status.", Double(status.notices?.count ?? 0))
        for (name, kind, entries) in [
            ("tributary_problems_by_code", "Problems", status.problems),
            ("tributary_notices_by_code", "Notices", status.notices ?? []),
        ] {
            let counts = Dictionary(grouping: entries, by: \.code.rawValue).mapValues(\.count)
            let samples = counts.sorted { $0.key < $1.key }.map { ([("code", $0.key)], Double($0.value)) }
            text.add(name, .gauge, "\(kind) in the status by their code.", samples)
        }
        if let deferred = status.deferred {
            let values = "Imported values that the model cannot represent."
            text.gauge("tributary_deferred_values", values, Double(deferred.values))
            let objects = "Updated objects that no known segment inserts."
            text.gauge("tributary_unknown_objects", objects, Double(deferred.unknownObjects))
        }
        if let conflicts = status.conflicts {
            let lost = "Values that lost against writes that their writers had not seen."
            text.counter("tributary_conflicts_total", lost, conflicts.kept + conflicts.dropped)
            let dropped = "Conflicts among tributary_conflicts_total that the journal does not keep."
            text.counter("tributary_conflicts_dropped_total", dropped, conflicts.dropped)
        }
        let counters = daemon.counters
        text.counter("tributary_admin_requests_total", "Requests to this interface.", counters.requests)
        text.gauge("tributary_admin_streams", "Clients that follow the changes.", Double(counters.streams))
        if let engine = daemon.state.engine {
            await addActivity(of: engine, to: &text)
            await addReads(of: engine, to: &text)
        }
        return .bytes(Array(text.text.utf8), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// Each place has its own series, even if both are on one disk.
    private static func addDisks(_ disks: [StatusMessage.Disk], to text: inout MetricsText) {
        let places = disks.flatMap { disk in disk.holds.map { ([("place", $0)], disk) } }
        let free = "Bytes that the daemon may still write on the disk of the store or the log folder."
        text.add("tributary_disk_free_bytes", .gauge, free, places.map { ($0.0, Double($0.1.freeBytes)) })
        text.add(
            "tributary_disk_total_bytes",
            .gauge,
            "The size of that disk.",
            places.map { ($0.0, Double($0.1.totalBytes)) }
        )
        let left = "Time until that disk is full: +Inf while it does not fill, NaN in the first hours after a start."
        let seconds = places.map { place, disk in
            (place, disk.daysLeft.map { $0 * 86_400 } ?? (disk.outlook == "unknown" ? Double.nan : .infinity))
        }
        text.add("tributary_disk_time_left_seconds", .gauge, left, seconds)
    }

    private static func addActivity(of engine: Engine, to text: inout MetricsText) async {
        let meters = engine.sync.activity.meters
        for (name, counts) in [("imported", meters.imported), ("exported", meters.exported)] {
            text.counter(
                "tributary_\(name)_transactions_total",
                "Transactions \(name) since the start.",
                counts.transactions
            )
            text.counter("tributary_\(name)_changes_total", "Changes \(name) since the start.", counts.changes)
            text.counter("tributary_\(name)_segments_total", "Segments \(name) since the start.", counts.segments)
        }
        let shown = max(0, engine.container.mainGeneration.number - engine.firstShown)
        let transactions = "Transactions, imported and local, that the main context has come to show since the start."
        text.counter("tributary_merged_transactions_total", transactions, shown)
        let changes = "Objects that merges have inserted, updated or deleted in the main context since the start."
        text.counter("tributary_merged_changes_total", changes, meters.merged)
        let imports = "From the store's write lock to the commit of a batch of imported transactions."
        text.add("tributary_import_batch_duration_seconds", imports, meters.imports)
        let merges = "How long a merge kept the main context busy."
        text.add("tributary_merge_duration_seconds", merges, engine.container.mergeStatus.durations)
        text.add(
            "tributary_export_duration_seconds",
            "How long it took to write local changes as segments.",
            meters.exports
        )
        let size = await engine.folderSize.measured(at: engine.wallTime)
        let folder = "Size of the files in the log folder, measured once a minute at most."
        text.gauge("tributary_folder_bytes", folder, (size?.bytes).map(Double.init))
        let files = "Files in the log folder, counted once a minute at most."
        text.gauge("tributary_folder_files", files, (size?.files).map(Double.init))
        let found = try? await WritersRoute.messages(of: engine, limit: storeLimit) { _, _ in true }
        let others = (found?.shown ?? []).filter { $0.state != "self" }
        text.add(
            "tributary_store_behind_transactions",
            .gauge,
            "The transactions of each other store that are known to exist and are not applied, without abandoned writers.",
            others.map { ([("store", $0.id)], Double($0.behind ?? 0)) }
        )
        text.add(
            "tributary_store_last_heard_timestamp_seconds",
            .gauge,
            "Unix time of the newest applied transaction of each other store, by the clock of its machine.",
            others.compactMap { store in store.lastHeard.map { ([("store", store.id)], $0) } }
        )
    }

    /// Further stores have no metrics of their own.
    private static let storeLimit = 1_000

    private static func addReads(of engine: Engine, to text: inout MetricsText) async {
        let reads = engine.readLimiter
        text.gauge("tributary_reads", "Reads for clients that are under way or wait.", Double(reads.current))
        let cancelled = "Reads that ended because the client hung up."
        text.counter("tributary_reads_cancelled_total", cancelled, reads.cancelled)
        text.counter("tributary_reads_timed_out_total", "Reads that took longer than they may.", reads.timedOut)
        let matches = LongTextMatch.census
        let long = "Regular expressions that are matched with a long text."
        text.gauge("tributary_long_matches", long, Double(matches.running))
        let abandoned = "Matches among tributary_long_matches that continue after the end of their request."
        text.gauge("tributary_abandoned_matches", abandoned, Double(matches.abandoned))
        // Like the status, metrics do not wait for busy readers.
        let writers = await engine.readSoon { try $0.writers.all() } ?? []
        let sequences = writers.map { ([("writer", $0.id.description)], Double($0.sequence)) }
        text.add("tributary_writer_sequence", .gauge, "The last transaction of each writer that is applied.", sequences)
        let known = engine.sync.knownTransactions(writers)
        text.add(
            "tributary_writer_behind",
            .gauge,
            "The transactions of each other writer that are known to exist and are not applied; 0 for an abandoned writer.",
            known.writers.filter { $0 != engine.sync.ownWriter }.sorted()
                .map { ([("writer", $0.description)], Double(known.behind($0))) }
        )
    }
}

struct MetricsText {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    private(set) var text = ""

    mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
        if let value { add(name, .gauge, help, [([], value)]) }
    }

    mutating func counter(_ name: String, _ help: String, _ value: some BinaryInteger) {
        add(name, .counter, help, [([], Double(value))])
    }

    mutating func add(_ name: String, _ help: String, _ histogram: DurationHistogram) {
        head(name, .histogram, help)
        for (bound, count) in histogram.cumulative { text += "\(name)_bucket{le=\"\(bound)\"} \(count)\n" }
        text += "\(name)_bucket{le=\"+Inf\"} \(histogram.count)\n"
        text += "\(name)_sum \(histogram.sum)\n\(name)_count \(histogram.count)\n"
    }

    private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    mutating func add(
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ samples: [(labels: [(String, String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        head(name, kind, help)
        for sample in samples {
            let labels = sample.labels.map { "\($0)=\"\(MetricsText.escape($1))\"" }.joined(separator: ",")
            text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(MetricsText.text(sample.value))\n"
        }
    }

    private static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
    }

    private static func escape(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
