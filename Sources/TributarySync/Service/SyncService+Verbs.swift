import Logging
package import TransactionLog
package import TributaryAdmin
package import TributaryChanges
import TributaryStore

extension SyncService {
    /// Imports, merges and exports at once; does not wait for segments that are waiting, incomplete or held.
    package func sync() async throws -> SyncResult {
        if let pause = state.read(\.pause) { throw SyncError.paused(since: pause.since) }
        let before = state.read(\.progress.imported)
        let replica = environment.replica
        let shown = replica.shownTransaction
        try await importAll()
        await replica.mergePendingChanges()
        // The user may have made room just now.
        environment.folderSize.expire()
        let exported = try await exportNow()
        let wall = environment.wall
        let (imported, counts) = state.read { ($0.progress.imported, $0.planner.counts(wall: wall)) }
        let now = replica.shownTransaction
        let (merged, historyName) = try environment.store.read { reader in
            (try reader.history.counts(after: shown, through: now), try reader.history.name())
        }
        return SyncResult(
            imported: imported - before,
            merged: SyncMessage.Merged(
                inserted: merged.inserted,
                updated: merged.updated,
                deleted: merged.deleted,
                everything: merged.isExact ? nil : true
            ),
            exported: exported,
            remaining: counts.filter { $0.key != .applied },
            historyName: historyName,
            transaction: now
        )
    }

    package func importAll() async throws {
        try await state.waitForPass { signals.imports.raise() }
    }

    /// Waits for an export in progress; works while the store is open, also after the service has ended.
    @discardableResult
    package func exportNow() async throws -> ImportCounts {
        try await exports.exportNow()
    }

    func exportBeyondLimit() async throws { _ = try await exports.exportNow(beyondLimit: true) }

    /// Requests that the next compaction pass checks at once whether the log folder lacks segments of this store.
    package func lookAtExports() { signals.baselines.raise() }

    /// Reads a segment again; returns nil if it is then applied without remarks.
    @discardableResult
    package func retry(_ name: SegmentName) async throws -> SegmentStatus? {
        let isKnown = state.update { state in
            let isKnown = state.planner.isKnown(name)
            state.readAgain(name)
            return isKnown
        }
        try await importAll()
        let status = try await segment(name)
        guard isKnown || status != nil else { throw SyncError.noSuchSegment(name) }
        return status
    }

    /// Accepts a held segment although its clock is ahead; returns nil if it is then applied without remarks.
    @discardableResult
    package func accept(_ name: SegmentName, by user: String? = nil) async throws -> SegmentStatus? {
        let wall = environment.wall
        do {
            try state.update { state throws(SyncError) in try state.accept(name, wall: wall) }
        } catch {
            guard case .noSuchSegment = error else { throw error }
            // The planner forgets segments that are applied without remarks.
            guard let known = try await explanation(of: name), let state = SegmentState(rawValue: known.state) else {
                throw SyncError.noSuchSegment(name)
            }
            throw SyncError.notHeld(name, state: state)
        }
        SyncRecords(store: environment.store).storeAccepted(of: state, logger: environment.logger)
        environment.logger.warning(
            "held segment is accepted",
            metadata: ["segment": "\(name.path)", "by": "\(user ?? "this program")"]
        )
        if state.read({ $0.pause == nil }) { try await importAll() }
        return try await segment(name)
    }

    /// A slow listener loses the oldest states.
    package func segmentEvents() -> AsyncStream<SegmentStatus> { events.stream() }
}

package struct SyncResult: Sendable, Hashable {
    package var imported: ImportCounts
    package var merged: SyncMessage.Merged
    package var exported: ImportCounts
    package var remaining: [SegmentState: Int]
    package var historyName: String
    package var transaction: Int64
}

package enum SyncError: Error, Hashable, Sendable {
    case notRunning
    case paused(since: WallTime)
    case noSuchSegment(SegmentName)
    case notHeld(SegmentName, state: SegmentState)
    case noSuchWriter(UniqueID)
    case ownWriter(UniqueID)
    /// No signed file of the writer is held, so the request must name the key.
    case noKey(UniqueID)
    /// The held files of the writer are signed with several keys, so the request must name a key.
    case severalKeys(UniqueID)
    case noSuchBaseline(BaselineName)
    case baselineUnusable(BaselineName, reason: String, hint: String)
    /// The baseline and the store have different writes for the same transactions.
    case baselineContradicts(BaselineName, String)
    /// A part of the baseline cannot be compared, for this reason, and nobody vouches for it.
    case baselineUnproven(BaselineName, String)

    static func acceptCommand(_ name: BaselineName) -> String { "tributaryctl baseline accept \(name.path)" }
}

extension SyncError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notRunning: "The log folder is not being watched."
        case .paused: "Importing is paused."
        case .noSuchSegment(let name) where !name.isPossible:
            "\(name.path) is not the name of a segment: sequences begin with 1, and the last must not be less than the first."
        case .noSuchSegment(let name): "The segment \(name.path) is not known."
        case .notHeld(let name, .held):
            "Segment \(name.path) is held because its key is missing, or because it is not encrypted and encryption.required is set; "
                + "nobody can accept it. To see which: tributaryctl segment explain \(name.path)"
        case .notHeld(let name, let state): "Segment \(name.path) is \(state.rawValue), not held."
        case .noSuchWriter(let writer): "The writer \(writer) is not known."
        case .ownWriter(let writer): "\(writer) is this store's own writer."
        case .noKey(let writer): "No signed segment of \(writer) is held: name the key."
        case .severalKeys(let writer):
            "The held segments of \(writer) are signed with several keys: name the key to trust."
        case .noSuchBaseline(let name): "The log folder has no baseline \(name.path)."
        case .baselineUnusable(let name, let reason, _): "The baseline \(name.path) cannot be compared: \(reason)"
        case .baselineContradicts(let name, let difference):
            "The baseline \(name.path) contradicts this store: \(difference)"
        case .baselineUnproven(let name, let reason):
            "The baseline \(name.path) contradicts nothing here, but a part of it cannot be compared: \(reason)"
        }
    }
}
