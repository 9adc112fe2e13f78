import Foundation
import HTTPTypes
import Hummingbird
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore
import TributarySync

struct PageData: Sendable {
    enum Extent: String, Sendable, CaseIterable {
        /// States, times and counts, without names, values, paths and reasons.
        case counts
        case everything
    }

    struct Compaction: Sendable, Codable {
        var time: Double
        var report: CompactionReport
    }

    struct Folder: Sendable, Codable {
        var files: Int
        var bytes: Int64
        var time: Double
    }

    struct Trust: Sendable, Codable {
        var mode: String
        var pinsFirst: Bool
        /// Of other stores.
        var trustedKeys: Int
        var revokedKeys: Int
        var encrypts: Bool
        var requiresEncryption: Bool
        var ownKey: String?
        /// The first key encrypts new files.
        var encryptionKeys: [String]?
    }

    var madeAt: Double
    var extent: Extent
    /// Nil for the service itself and for other daemons.
    var instance: String?
    var command: String
    var status: StatusMessage
    var writers: WritersMessage?
    var segments: SegmentsMessage?
    var conflicts: [Conflict]?
    /// Start in Unix seconds, imported transactions and changes, exported transactions and changes, merged objects.
    var minutes: [[Double]]?
    var compaction: Compaction?
    var folder: Folder?
    var trust: Trust?

    private static let storeLimit = 1_000
    private static let shownStores = 200
    private static let segmentLimit = 50
    private static let conflictLimit = 50
    private static let conflictBytes = 256 << 10
    private static let reasonLimit = 6

    /// Data that cannot be read in time is left out.
    static func collect(_ extent: Extent, of daemon: AdminServices) async -> PageData {
        let socket = daemon.state.configuration.admin.socket
        let instance = DefaultPaths.instance(of: socket)
        let options =
            switch instance {
            case DefaultPaths.service?: ""
            case let instance?: " --instance \(instance.shellWord)"
            case nil: " --socket \(socket.shellWord)"
            }
        var data = PageData(
            madeAt: WallTime(Date()).unixSeconds,
            extent: extent,
            instance: instance == DefaultPaths.service ? nil : instance,
            command: "tributaryctl" + options,
            status: await StatusReport.make(of: daemon)
        )
        data.status.problems = data.status.problems.map { completing($0, options) }
        data.status.notices = data.status.notices?.map { completing($0, options) }
        guard let engine = daemon.state.engine else { return extent == .counts ? data.counted() : data }
        let now = engine.wallTime
        if let found = try? await WritersRoute.messages(of: engine, limit: storeLimit, where: { _, _ in true }) {
            data.writers = shown(found.shown, hasMore: found.hasMore)
        }
        data.segments = try? await segments(of: engine)
        if extent == .everything {
            data.conflicts = await engine.readSoon { reader in
                try reader.conflicts.newest(limit: conflictLimit, byteLimit: conflictBytes)
            }
        }
        let activity = engine.sync.activity
        let (meters, monotonic) = (activity.meters, activity.now)
        data.minutes = meters.minutes.map { minute in
            let start = now.earlier(by: monotonic - minute.start).unixSeconds
            let (imported, exported) = (minute.imported, minute.exported)
            return [start]
                + [
                    imported.transactions, imported.changes, exported.transactions, exported.changes, minute.merged,
                ].map(Double.init)
        }
        if let last = await engine.compactor.last {
            data.compaction = Compaction(time: last.time.unixSeconds, report: shown(last.report))
        }
        if let size = await engine.folderSize.measured(at: now) {
            data.folder = Folder(files: size.files, bytes: size.bytes, time: size.time.unixSeconds)
        }
        data.trust = trust(of: engine, daemon.state.configuration.sync)
        return extent == .counts ? data.counted() : data
    }

    private static func completing(_ problem: Problem, _ options: String) -> Problem {
        var problem = problem
        let added = options.isEmpty ? "" : options.dropFirst() + " "
        problem.hint = problem.hint.map { HintCommands.text($0, adding: added) }
        return problem
    }

    private static func trust(of engine: Engine, _ settings: SyncConfiguration) -> Trust {
        let entries = engine.sync.trust.list.entries
        let trusted = Set(entries.filter { $0.state == .trusted }.map(\.key)).union(settings.trust.keys)
        return Trust(
            mode: settings.trust.mode.rawValue,
            pinsFirst: settings.trust.pinsFirst,
            trustedKeys: trusted.count,
            revokedKeys: entries.count { $0.state == .revoked },
            encrypts: settings.encryption.current != nil,
            requiresEncryption: settings.encryption.isRequired,
            ownKey: engine.sync.signingKey?.publicKey.description,
            encryptionKeys: settings.encryption.keys.map(\.id)
        )
    }

    private static func shown(_ found: [WritersMessage.Writer], hasMore: Bool) -> WritersMessage {
        let ordered = found.sorted { ($1.behind ?? 0, $0.id) < ($0.behind ?? 0, $1.id) }
        let shown = ordered.prefix(shownStores).map { writer in
            var writer = writer
            // The page does not need the acknowledgements between all stores, and their number grows quadratically.
            writer.seen = [:]
            return writer
        }
        return WritersMessage(writers: shown, next: hasMore || found.count > shown.count ? shown.last?.id : nil)
    }

    private static func segments(of engine: Engine) async throws -> SegmentsMessage {
        let states = Set(SegmentState.allCases).subtracting([.applied])
        let statuses = try await engine.sync.segments(in: states)
        let shown = statuses.prefix(segmentLimit).map { SegmentsMessage.Segment($0) }
        return SegmentsMessage(segments: shown, next: statuses.count > shown.count ? shown.last?.first : nil)
    }

    private static func shown(_ report: CompactionReport) -> CompactionReport {
        var report = report
        report.remaining = report.remaining.prefix(reasonLimit).map { segment in
            var segment = segment
            segment.waitsFor = Array(segment.waitsFor.prefix(reasonLimit))
            return segment
        }
        return report
    }

    /// Without names, values, paths, and the reasons that may have them.
    private func counted() -> PageData {
        func counted(_ problem: Problem) -> Problem {
            var counted = Problem(
                problem.code,
                since: problem.since,
                detail: "",
                hint: "To see it: tributaryctl status"
            )
            counted.writer = problem.writer
            return counted
        }
        var data = self
        data.instance = nil
        data.command = "tributaryctl"
        data.trust?.ownKey = nil
        data.trust?.encryptionKeys = nil
        data.status.name = nil
        (data.status.trust, data.status.encryption) = (nil, nil)
        data.status.problems = status.problems.map(counted)
        data.status.notices = status.notices?.map(counted)
        data.status.deferred?.first = []
        data.status.writers?.first = []
        data.status.disks = status.disks?.map { disk in
            var disk = disk
            disk.paths = []
            return disk
        }
        data.writers?.writers = (writers?.writers ?? []).map { writer in
            var writer = writer
            writer.name = nil
            return writer
        }
        data.segments?.segments = (segments?.segments ?? []).map { segment in
            var counted = SegmentsMessage.Segment(
                writer: segment.writer,
                first: segment.first,
                last: segment.last,
                state: segment.state
            )
            counted.since = segment.since
            return counted
        }
        data.conflicts = nil
        if let report = compaction?.report {
            var counted = CompactionReport(dryRun: report.dryRun)
            counted.baselines = report.baselines.map { baseline in
                CompactionReport.Baseline(file: "", bytes: baseline.bytes, verified: baseline.verified)
            }
            (counted.removedSegments, counted.removedBytes) = (report.removedSegments, report.removedBytes)
            (counted.remainingSegments, counted.remainingBytes) = (report.remainingSegments, report.remainingBytes)
            data.compaction?.report = counted
        }
        return data
    }

    private static let wordLimit = 50

    /// For a browser without scripts.
    var words: String {
        let name = [status.name, instance].compactMap(\.self).joined(separator: " / ")
        var lines = [
            "\(name.isEmpty ? "" : "\(name): ")\(status.state.rawValue), problems: \(status.problems.count), "
                + "notices: \(status.notices?.count ?? 0), at \(Date(timeIntervalSince1970: madeAt).formatted(.iso8601))"
        ]
        let all = status.problems.map { ("problem", $0) } + (status.notices ?? []).map { ("notice", $0) }
        for (kind, problem) in all.prefix(Self.wordLimit) {
            let writer = problem.writer.map { " of \(problem.writerName ?? "\($0)")" } ?? ""
            lines.append("\n\(kind) \(problem.code)\(writer)\(problem.detail.isEmpty ? "" : ": \(problem.detail)")")
            if let hint = problem.hint { lines.append("  \(hint)") }
        }
        if all.count > Self.wordLimit { lines.append("\nMore problems: \(all.count - Self.wordLimit)") }
        let others = writers?.writers.filter { $0.state != "self" } ?? []
        let late = others.filter { ($0.behind ?? 0) > 0 }
        lines.append("\nOther stores: \(others.count), not up to date here: \(late.count)")
        lines += late.prefix(Self.wordLimit).map { writer in
            let name = writer.name.map { "\($0) (\(writer.id))" } ?? writer.id
            return "  \(name): \(writer.behind ?? 0) transactions behind"
        }
        if let conflicts = status.conflicts { lines.append("Losing values: \(conflicts.kept)") }
        lines.append("More in text: \(command) status")
        return lines.joined(separator: "\n")
    }

    func json() throws -> String {
        var members = [
            ("madeAt", try madeAt.jsonText()), ("shows", try extent.rawValue.jsonText()),
            ("command", try command.jsonText()), ("status", try status.jsonText()),
        ]
        if let instance { members.append(("instance", try instance.jsonText())) }
        if let writers { members.append(("writers", try writers.jsonText())) }
        if let segments { members.append(("segments", try segments.jsonText())) }
        if let conflicts {
            let list = JSONValue.members(["conflicts": .array(conflicts.map(\.shownJSON))])
            members.append(("conflicts", list.text))
        }
        if let minutes { members.append(("minutes", try minutes.jsonText())) }
        if let compaction { members.append(("compaction", try compaction.jsonText())) }
        if let folder { members.append(("folder", try folder.jsonText())) }
        if let trust { members.append(("trust", try trust.jsonText())) }
        return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }
}

extension Conflict {
    private static let valueLimit = 2_000

    fileprivate var shownJSON: JSONValue {
        var shown = self
        shown.losing.value = losing.value.map(Conflict.cut)
        shown.winning.value = winning.value.map(Conflict.cut)
        return shown.json
    }

    private static func cut(_ value: JSONValue) -> JSONValue {
        let text = value.text
        return text.count > valueLimit ? .string(text.prefix(valueLimit) + "…") : value
    }
}

/// `GET /v1/page`: the page as HTML, or its data as JSON for a client that accepts only JSON.
enum PageRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let data = await PageData.collect(.everything, of: request.daemon)
        let wantsData = request.request.headers[.accept]?.contains("application/json") == true
        guard wantsData else { return try .page(with: data) }
        return .bytes(Array(try data.json().utf8), type: "application/json").guarded
    }
}
