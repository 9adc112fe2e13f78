import Logging
package import TransactionLog
package import TributaryAdmin
package import TributaryChanges
package import TributaryStore

/// The sync of a store whose loops do not run: a simulation takes their steps, in an order of its own.
///
/// The steps are those of ``ImportLoop`` and ``ExportLoop``. Nothing watches the folder; the simulation reports
/// changes.
package struct SteppedSync {
    private let service: SyncService
    private var loop: ImportLoop

    package init(
        replica: any LocalReplica,
        configuration: SyncConfiguration,
        trust: StoreTrust = StoreTrust(),
        clock: any Clock<Duration>,
        interruptExport: @escaping @Sendable (Exporter.Step) throws -> Void
    ) throws {
        service = try SyncService(
            replica: replica,
            configuration: configuration,
            trust: trust,
            clock: clock,
            logger: Logger(label: "tributary.stepped") { _ in SwiftLogNoOpLogHandler() },
            interruptExport: interruptExport
        )
        loop = ImportLoop(service, isWatching: false)
    }

    /// Reports places of the log folder that may have changed, as a watcher would.
    package func report(_ hints: FolderHints) { service.state.update { $0.scans.insert(hints) } }

    /// Takes one step of the import: scans the reported places and performs the planner's next action, or compares
    /// applied files when there is none.
    ///
    /// - Returns: false when there is nothing to do until something changes.
    package mutating func importStep() async -> Bool {
        if case .goesOn = await loop.step() { return true }
        return await loop.concludePass()
    }

    /// The reason why the last import failed; nil when it did not.
    package var importFailure: String? {
        service.state.read { $0.problems.all.first { $0.code == .importFailed }?.detail }
    }

    /// The segments that contradict what is applied.
    package var forked: [SegmentStatus] {
        let wall = service.environment.wall
        return service.state.read { $0.planner.statuses(wall: wall).filter { $0.state == .forked } }
    }

    /// The problems of the store, as its status has them.
    package var problems: [Problem] { service.status.problems }

    package func export() async throws { _ = try await service.exportNow() }

    /// Commits an acknowledgement when one is due.
    ///
    /// - Returns: false when that failed.
    package func acknowledge() async -> Bool { await service.exports.acknowledgeWhenDue() }

    /// Stops counting on a writer's acknowledgements.
    ///
    /// - Returns: false when the store does not know the writer.
    package func evict(_ writer: UniqueID) async throws -> Bool {
        try await isKnown { try await service.evict(writer) }
    }

    /// Stops waiting for a writer's missing transactions.
    ///
    /// - Returns: false when the store does not know the writer.
    package func abandon(_ writer: UniqueID) async throws -> Bool {
        try await isKnown { try await service.abandon(writer) }
    }

    private func isKnown(_ request: () async throws -> Void) async throws -> Bool {
        do {
            try await request()
            return true
        } catch let error as SyncError {
            switch error {
            case .noSuchWriter, .ownWriter: return false
            default: throw error
            }
        }
    }

    /// Accepts a held segment.
    package func accept(_ name: SegmentName) async throws {
        try await unlessStopped { _ = try await service.accept(name) }
    }

    /// Trusts or revokes a key of a writer's store; without a key, the one of what is held.
    package func setTrust(_ state: TrustList.State, of writer: UniqueID, key: PublicKey? = nil) async throws {
        try await service.setTrust(state, of: writer, key: key)
    }

    /// Endorses a baseline for which an administrator vouches.
    package func accept(_ baseline: BaselineName, isUnproven: Bool) async throws -> CompactionReport.Step {
        try await Compactor(sync: service).accept(baseline, isUnproven: isUnproven)
    }

    /// Gives what was never exported and is ahead other clocks.
    package func restamp() async throws -> Restamped { try await service.restamp() }

    /// Replaces the settings, as a reload does.
    package func reconfigure(_ configuration: SyncConfiguration) { service.reconfigure(configuration) }

    /// Nobody runs the loops for which a request would wait.
    private func unlessStopped(_ request: () async throws -> Void) async throws {
        do { try await request() } catch SyncError.notRunning {}
    }

    package func compact(_ mode: Compactor.Mode) async throws -> CompactionReport {
        try await Compactor(sync: service).compact(mode)
    }
}
