package import TransactionLog
package import TributaryAdmin
package import TributaryChanges
package import TributaryStore

extension SyncService {
    package var status: SyncStatus {
        let wall = environment.wall
        var status = state.read { $0.status(wall: wall) }
        if let problem = silence(isApplying: status.isImporting, wall: wall) { status.problems.append(problem) }
        return status
    }

    package var logs: String { state.configuration.logs }

    /// Whether the segments that could be imported when the service began have been imported.
    package var isInitialImportComplete: Bool { state.read(\.progress.isInitialImportComplete) }

    package var idleBaselineProblems: Set<Problem.Code> {
        let wall = environment.wall
        return state.read { $0.idleBaselineProblems(at: wall) }
    }

    package func waitForInitialImport() async {
        for await _ in initialImport.stream() {}
    }

    /// A folder that does not answer for longer is a problem.
    package static let folderPatience = Duration.seconds(10)

    /// A batch that is being applied may wait for the write lock, which is not a fault of the log folder.
    private func silence(isApplying: Bool, wall: WallTime) -> Problem? {
        let imports = isApplying ? .zero : control.work.silence ?? .zero
        let exports = exportWork.silence ?? .zero
        let silence = max(imports, exports)
        guard silence >= SyncService.folderPatience else { return nil }
        let effect = imports >= SyncService.folderPatience ? "imported" : "exported"
        return .logsSilent(for: silence, nothingIs: effect, wall: wall)
    }

    /// A notice if others lack transactions that this store published with clocks that are ahead; O(w log w).
    package func publishedLead(_ writers: [WriterRecord], at wall: WallTime) -> Problem? {
        let maxAhead = state.configuration.maxAhead
        guard let own = writers.first(where: \.isSelf) else { return nil }
        let ahead = writers.filter {
            $0.store == own.store && $0.sequence > 0 && $0.clock.isAhead(of: wall, by: maxAhead)
        }
        guard let last = ahead.max(by: { $0.clock < $1.clock }) else { return nil }
        let waiting = CompactionFacts.active(beside: own.store, among: writers).filter { peer in
            ahead.contains { peer.seen[$0.id] < $0.sequence }
        }
        guard let first = waiting.first else { return nil }
        let name = first.writer.name.map { "\($0) (\(first.writer.id))" } ?? "\(first.writer.id)"
        let others = waiting.count > 1 ? " and \(waiting.count - 1) more" : ""
        let lead = last.clock.wallTime.duration(since: wall).words
        var notice = Problem(
            .publishedClockAhead,
            detail: "Transactions of this store up to \(last.sequence) of writer \(last.id) have clocks up to "
                + "\(lead) ahead of this machine's. Not acknowledged by: \(name)\(others).",
            writer: last.id,
            hint: "Other machines hold them until their time has come. To see how to take them now, there: "
                + "tributaryctl status"
        )
        notice.writerName = last.name
        return notice
    }

    package var forkedWriters: Set<UniqueID> { state.read { $0.planner.forkedWriters } }

    package var backlogs: [UniqueID: WriterBacklog] { state.read { $0.planner.backlogs } }

    package func segments(
        in wanted: Set<SegmentState>? = nil,
        all: Bool = false,
        reading: StatusReading? = nil
    ) async throws -> [SegmentStatus] {
        let wall = environment.wall
        // The planner is copied, so that the texts of a long backlog are not created under the lock. The import waits
        // for the lock.
        let planner = state.read(\.planner)
        var found = planner.statuses(wall: wall)
        if wanted?.contains(.applied) ?? true {
            let isAll = all || wanted == [.applied]
            found += try await read(reading) { [deferrals] in try deferrals.appliedSegments(all: isAll, $0) }
        }
        return found.filter { wanted?.contains($0.state) ?? true }.sorted(by: SegmentStatus.precedes)
    }

    package typealias StatusReading =
        @Sendable (@escaping @Sendable (Reader) throws -> [SegmentStatus]) async throws -> [SegmentStatus]

    func read(
        _ reading: StatusReading?,
        _ block: @escaping @Sendable (Reader) throws -> [SegmentStatus]
    ) async throws -> [SegmentStatus] {
        guard let reading else { return try environment.store.read(block) }
        return try await reading(block)
    }

    package func segment(_ name: SegmentName) async throws -> SegmentStatus? {
        let wall = environment.wall
        if let status = state.read({ $0.planner.status(of: name, wall: wall) }) { return status }
        let record = try environment.store.read { try $0.writers.segment(writer: name.writer, name.first, name.last) }
        guard let record else { return nil }
        return try await deferrals.status(ofApplied: record)
    }
}

package struct SyncStatus: Sendable, Hashable {
    package var pausedSince: WallTime?
    package var segments: [SegmentState: Int] = [:]
    package var queue = 0
    package var lastImport: WallTime?
    package var isImporting = false
    package var imported = ImportCounts()
    package var problems: [Problem] = []
}

extension SyncService {
    package var lastDeferrals: DeferralReport? { deferrals.lastReport }

    package func deferrals(_ reader: Reader) throws -> DeferralReport { try deferrals.report(reader) }

    package func located(_ report: DeferralReport) async -> DeferralReport { await deferrals.located(report) }

    package func located(_ statuses: [SegmentStatus], reading: StatusReading? = nil) async throws -> [SegmentStatus] {
        var statuses = statuses
        if statuses.contains(where: \.lacksDeferredNames) {
            let unnamed = statuses
            statuses = try await read(reading) { [deferrals] in try deferrals.named(unnamed, $0) }
        }
        return await deferrals.located(statuses)
    }
}
