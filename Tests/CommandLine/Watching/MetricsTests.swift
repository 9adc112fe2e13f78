import Foundation
import TestSupport
import Testing
import TributaryAdmin

/// The metrics are as Prometheus asks, and what `etc/monitoring` names exists.
@Suite(.daemonTurns) struct MetricsTests {
    /// Names that others use: they stay.
    private static let promised = [
        "tributary_up", "tributary_uptime_seconds", "tributary_segments", "tributary_queue_segments",
        "tributary_initial_import_complete", "tributary_last_import_timestamp_seconds",
        "tributary_last_merge_timestamp_seconds",
        "tributary_pending_saves", "tributary_store_bytes", "tributary_wal_bytes", "tributary_problems",
        "tributary_deferred_values", "tributary_unknown_objects", "tributary_conflicts_total",
        "tributary_conflicts_dropped_total", "tributary_admin_requests_total", "tributary_admin_streams",
        "tributary_reads", "tributary_reads_cancelled_total", "tributary_reads_timed_out_total",
        "tributary_long_matches", "tributary_abandoned_matches", "tributary_writer_sequence", "tributary_writer_behind",
    ]
    /// That of Debian's package, as .ci/run takes it out, or installed.
    private static let promtool = [PackageFolder.path(".build/tools/prometheus/usr/bin/promtool"), "/usr/bin/promtool"]
        .first(where: FileManager.default.isExecutableFile(atPath:))

    /// The metrics of a daemon that has imported, exported and merged, with a store that is behind and a problem.
    private func metrics() async throws -> (text: String, folder: TemporaryFolder) {
        let daemon = try RunningDaemon()
        var writer = RunningDaemon.foreignWriter()
        try writer.write([[RunningDaemon.insertion(1)], [RunningDaemon.insertion(2)]], to: daemon.logs)
        try await daemon.start()
        try await daemon.save(#"{"insert":"Department","values":{"title":"R&D"}}"#)
        try await daemon.success(of: ["sync"])
        // The next segment is one that waits for one that never comes.
        try writer.write([[]], to: daemon.folder.path("elsewhere"))
        try writer.write([[]], to: daemon.logs)
        _ = try await daemon.command(["pause"])
        // A scrape shows what a sync before it has seen.
        var text = ""
        let end = Date(timeIntervalSinceNow: 60)
        repeat {
            text = try await daemon.success(of: ["metrics"]).output
            // What is merged is counted by a task of its own.
            if text.contains("tributary_store_behind_transactions{store=\"\(writer.id)\"} 2"),
                text.contains("\ntributary_merged_changes_total 3")
            {
                break
            }
        } while Date() < end
        return (text, daemon.folder)
    }

    private func samples(_ text: String) -> [String: Double] {
        let pairs = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.lastIndex(of: " ").flatMap { space in
                Double(line[line.index(after: space)...]).map { (String(line[..<space]), $0) }
            }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test func theNamesStayAndTheNewOnesCount() async throws {
        let (text, folder) = try await metrics()
        let types = Dictionary(
            text.matches(of: /[#] TYPE (\S+) (\w+)/).map { (String($0.1), String($0.2)) }
        ) { first, _ in first }
        for name in Self.promised { #expect(types[name] != nil, "\(name)") }
        let samples = samples(text)
        #expect(samples["tributary_build_info{version=\"\(TributaryVersion.current)\"}"] == 1)
        #expect(
            samples["tributary_imported_transactions_total"] == 2 && samples["tributary_imported_changes_total"] == 2
        )
        #expect(samples["tributary_imported_segments_total"] == 1)
        #expect(try #require(samples["tributary_exported_changes_total"]) == 1, "\(text)")
        #expect(try #require(samples["tributary_merged_changes_total"]) == 3, "\(text)")
        #expect(try #require(samples["tributary_merged_transactions_total"]) >= 3, "\(text)")
        for name in ["import_batch", "merge", "export"] {
            let name = "tributary_\(name)_duration_seconds"
            #expect(types[name] == "histogram")
            let count = try #require(samples["\(name)_count"])
            #expect(count > 0 && samples["\(name)_bucket{le=\"+Inf\"}"] == count, "\(name)")
            #expect(try #require(samples["\(name)_sum"]) > 0)
        }
        let store = "{store=\"\(RunningDaemon.foreignWriter().id)\"}"
        #expect(samples["tributary_store_behind_transactions\(store)"] == 2, "\(text)")
        let heard = try #require(samples["tributary_store_last_heard_timestamp_seconds\(store)"])
        let now = Date().timeIntervalSince1970
        #expect(abs(heard - now) < 300)
        #expect(samples["tributary_problems_by_code{code=\"paused\"}"] == 1, "\(text)")
        #expect(try #require(samples["tributary_folder_bytes"]) > 200 && samples["tributary_folder_files"] ?? 0 >= 2)
        #expect(try #require(samples["process_cpu_seconds_total"]) > 0)
        #expect((1_000_000...10_000_000_000).contains(try #require(samples["process_resident_memory_bytes"])))
        #expect(abs(try #require(samples["process_start_time_seconds"]) - now) < 300)
        #expect(try #require(samples["process_open_fds"]) > 5)
        #expect(FileManager.default.fileExists(atPath: folder.path))
    }

    /// What alerts and the dashboard name.
    private func namedMetrics(_ file: String) throws -> Set<String> {
        let text = try Article.text(of: "etc/monitoring/\(file)")
        return Set(text.matches(of: /\b(?:tributary|process)_[a-z_]+[a-z]\b/).map { String($0.0) })
    }

    @Test func alertsAndTheDashboardNameMetricsThatExist() async throws {
        let text = try await metrics().text
        let series = Set(samples(text).keys.map { String($0.prefix { $0 != "{" }) })
        for (file, least) in [("tributary.rules.yml", 8), ("tributary-dashboard.json", 12)] {
            let named = try namedMetrics(file)
            #expect(named.count >= least, "\(file): \(named.sorted())")
            // There is a series for each code of which there is a notice now.
            #expect(named.subtracting(series).subtracting(["tributary_notices_by_code"]).isEmpty, "\(file)")
        }
        let dashboard = try Data(Article.text(of: "etc/monitoring/tributary-dashboard.json").utf8)
        let panels =
            (try JSONSerialization.jsonObject(with: dashboard) as? [String: Any])?["panels"] as? [[String: Any]]
        #expect(try #require(panels).count >= 8)
    }

    @Test func prometheusTakesThem() async throws {
        guard let promtool = Self.promtool else {
            try Test.cancel("promtool of Debian's package prometheus is not installed")
        }
        let (text, folder) = try await metrics()
        try folder.write(text, to: "metrics.txt")
        let lint = try await Answer(
            running: ["/bin/sh", "-c", "exec '\(promtool)' check metrics < \(folder.path("metrics.txt"))"],
            in: folder
        )
        // Names that stay, although Prometheus would have others.
        #expect(lint.ending == .exited(0), "\(lint)")
        let rules = try await Answer(
            running: [promtool, "check", "rules", PackageFolder.path("etc/monitoring/tributary.rules.yml")],
            in: folder
        )
        #expect(rules.ending == .exited(0) && rules.output.contains("SUCCESS"), "\(rules)")
    }
}
