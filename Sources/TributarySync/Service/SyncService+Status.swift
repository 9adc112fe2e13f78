import Synchronization
package import TransactionLog
package import TributaryChanges
package import TributaryStore

extension SyncService {
    package var status: SyncStatus {
        let wall = wall
        return state.withLock { state in
            var status = SyncStatus()
            status.isRunning = state.phase == .running
            status.pausedSince = state.pausedSince
            status.segments = state.planner.counts(wall: wall)
            status.queue = state.planner.queueLength(wall: wall)
            status.initialImportComplete = state.initialImportComplete
            status.lastImport = state.lastImport
            status.isImporting = state.isImporting
            status.imported = state.imported
            status.exported = state.exported
            status.problems = state.allProblems(wall: wall) + hangs(isImporting: state.isImporting, wall: wall)
            return status
        }
    }

    /// How long the folder may give no answer before that is a problem.
    package static let folderPatience = Duration.seconds(10)

    /// Work on the folder that makes no step any more; applying is not reading, and may wait for others.
    private func hangs(isImporting: Bool, wall: UInt64) -> [SyncProblem] {
        let imports = isImporting ? .zero : control.work.silence ?? .zero
        let exports = exportWork.silence ?? .zero
        let silence = max(imports, exports)
        guard silence >= SyncService.folderPatience else { return [] }
        let effect = imports >= SyncService.folderPatience ? "imported" : "exported"
        let since = wall &- min(wall, UInt64(clamping: silence.components.seconds) * 1_000)
        return [
            SyncProblem(
                .logsSilent,
                since: since,
                detail: "The log folder has not answered for \(silence.components.seconds) s; nothing is \(effect).",
                hint: "See to the folder's mount; what is saved here is safe and is exported later."
            )
        ]
    }

    /// Writers with segments that are not applied.
    package var backlogs: [UniqueID: WriterBacklog] { state.withLock { $0.planner.backlogs } }

    /// What there is to say of segments, in order.
    ///
    /// - Parameters:
    ///   - wanted: their states; nil for all.
    ///   - all: whether applied segments without deferred values are listed too, so that the list may be long.
    ///   - reading: reads the store, in which applied segments are; nil reads what is newest, however long that takes.
    /// - Returns: Their statuses.
    /// - Throws: what reading throws.
    package func segments(
        in wanted: Set<SegmentState>? = nil,
        all: Bool = false,
        reading: StatusReading? = nil
    ) async throws -> [SegmentStatus] {
        let wall = wall
        // A copy: the texts of a long backlog are not made under the lock, for which the import waits.
        let planner = state.withLock(\.planner)
        var found = planner.statuses(wall: wall)
        if wanted?.contains(.applied) ?? true {
            found += try await read(reading) { [self] in try appliedSegments(all: all || wanted == [.applied], $0) }
        }
        return found.filter { wanted?.contains($0.state) ?? true }.sorted { $0.id < $1.id }
    }

    /// Runs a function that reads statuses from the store.
    package typealias StatusReading =
        @Sendable (@escaping @Sendable (Reader) throws -> [SegmentStatus]) async throws -> [SegmentStatus]

    func read(
        _ reading: StatusReading?,
        _ body: @escaping @Sendable (Reader) throws -> [SegmentStatus]
    ) async throws -> [SegmentStatus] {
        guard let reading else { return try replica.store.read(body) }
        return try await reading(body)
    }

    /// One segment; nil when nothing is known of it.
    package func segment(_ name: SegmentName) async throws -> SegmentStatus? {
        let wall = wall
        if let status = state.withLock({ $0.planner.status(of: name, wall: wall) }) { return status }
        let record = try replica.store.read { try $0.segment(writer: name.writer, first: name.first) }
        guard let record, record.last == name.last else { return nil }
        return try await applied(record)
    }
}

extension SyncState {
    func allProblems(wall: UInt64) -> [SyncProblem] {
        var found = Array(problems.values)
        if let pausedSince {
            let until = pausedUntil.map { " for another \(($0 > wall ? $0 - wall : 0) / 1000) s" } ?? ""
            found.append(
                SyncProblem(
                    .paused,
                    since: pausedSince,
                    detail: "Importing is paused\(until).",
                    hint: "To go on: tributaryctl resume"
                )
            )
        }
        for (problem, since) in folderProblems { found.append(SyncProblem(problem, since: since)) }
        found += segmentProblems(wall: wall)
        return found.sorted { ($0.code.rawValue, $0.detail) < ($1.code.rawValue, $1.detail) }
    }

    private func segmentProblems(wall: UInt64) -> [SyncProblem] {
        let codes: [(SegmentState, SyncProblem.Code)] = [
            (.damaged, .segmentsDamaged), (.forked, .segmentsForked), (.held, .segmentsHeld),
            (.rejected, .segmentsRejected), (.waiting, .segmentsWaiting),
        ]
        let summaries = planner.summaries(wall: wall)
        return codes.compactMap { state, code in
            // A segment whose turn has not come is no problem, however long the queue is.
            if state == .waiting { return gapProblem(wall: wall) }
            guard let summary = summaries[state], let id = summary.first,
                let first = planner.status(of: id, in: state, wall: wall)
            else { return nil }
            return segmentProblem(code, first, count: summary.count, since: summary.since ?? wall)
        }
    }

    /// Writers that cannot go on for longer than the grace, because something has not come.
    private func gapProblem(wall: UInt64) -> SyncProblem? {
        let late = planner.gaps(wall: wall).filter { wall >= $0.due(grace: planner.limits.incompleteGrace) }
        guard let gap = late.first, let first = planner.status(ofGapOf: gap.id.writer, wall: wall) else { return nil }
        return segmentProblem(.segmentsWaiting, first, count: late.count, since: late.map(\.since).min() ?? wall)
    }

    private func segmentProblem(
        _ code: SyncProblem.Code,
        _ first: SegmentStatus,
        count: Int,
        since: UInt64
    ) -> SyncProblem {
        let more = count > 1 ? " and \(count - 1) more" : ""
        return SyncProblem(
            code,
            since: since,
            detail: "\(first.file)\(more): \(first.state.rawValue). \(first.reason)",
            writer: first.id.writer,
            hint: SyncState.hint(for: first)
        )
    }

    /// What helps, with a command to type where the segment's own hint has none.
    private static func hint(for status: SegmentStatus) -> String {
        let hint = status.hint ?? ""
        guard !hint.contains("tributaryctl") else { return hint }
        return (hint.isEmpty ? "" : hint + " ") + "To see more: tributaryctl segment explain \(status.id.path)"
    }
}

extension SyncProblem {
    init(_ problem: FolderProblem, since: UInt64) {
        switch problem.kind {
        case .missing:
            let hint = "Mount or make the folder; what was imported stays."
            self.init(.logsMissing, since: since, detail: problem.description, hint: hint)
        case .unreadable, .notAFolder:
            let hint = "See to the folder's kind and permissions."
            self.init(.logsUnreadable, since: since, detail: problem.description, hint: hint)
        case .misnamed:
            let hint = "Have its writer name it as it should; until then nothing of it is read."
            self.init(.logsMisnamed, since: since, detail: problem.description, hint: hint)
        case .watchFailed:
            let hint = "The folder is looked at every 30 s instead."
            self.init(.watchFailed, since: since, detail: problem.description, hint: hint)
        }
    }
}
