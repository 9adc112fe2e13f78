import Logging
import TransactionLog
package import TributaryAdmin
import TributaryStore

/// The sync of a store without running loops: a simulation takes the steps in its own order, and reports changes.
package struct SteppedSync {
    package let service: SyncService
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

    package func report(_ hints: FolderHints) { service.state.update { $0.scans.insert(hints) } }

    /// Returns false when there is nothing to do until something changes.
    package mutating func importStep() async -> Bool {
        if case .goesOn = await loop.step() { return true }
        return await loop.concludePass()
    }

    package var importFailure: String? {
        service.state.read { $0.problems.all.first { $0.code == .importFailed }?.detail }
    }

    package var forked: [SegmentStatus] {
        let wall = service.environment.wall
        return service.state.read { $0.planner.statuses(wall: wall).filter { $0.state == .forked } }
    }

    package var problems: [Problem] { service.status.problems }

    /// Returns false when a due acknowledgement failed.
    package func acknowledge() async -> Bool { await service.exports.acknowledgeWhenDue() }
}
