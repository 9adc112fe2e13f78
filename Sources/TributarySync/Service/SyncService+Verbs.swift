import Foundation
import Logging
import Synchronization
package import TransactionLog
import TributaryChanges
import TributaryStore

/// What an administrator may ask for.
extension SyncService {
    /// Imports all that can be, merges now, exports local changes.
    ///
    /// It does not wait for segments that wait, are incomplete or held.
    ///
    /// - Throws: ``SyncError`` `paused` and `notRunning`; what exporting throws.
    package func sync() async throws -> SyncResult {
        if let since = state.withLock(\.pausedSince) { throw SyncError.paused(since: since) }
        let before = state.withLock(\.imported)
        let shown = replica.shownTransaction
        try await importAll()
        await replica.mergePendingChanges()
        let exported = try await exportNow()
        let wall = wall
        let (imported, counts) = state.withLock { ($0.imported, $0.planner.counts(wall: wall)) }
        let now = replica.shownTransaction
        let changes = try replica.store.read { reader in
            now > shown ? try reader.changes(after: shown, through: now, limit: .max) : ObjectChanges()
        }
        return SyncResult(
            imported: imported - before,
            merged: SyncResult.Merged(
                inserted: changes.inserted.count,
                updated: changes.updated.count,
                deleted: changes.deleted.count,
                isEverything: changes.isEverything || !changes.collapsedEntities.isEmpty
            ),
            exported: exported,
            remaining: counts.filter { $0.key != .applied },
            writer: own,
            transaction: now
        )
    }

    /// Looks at the whole folder and imports all that can be imported now.
    package func importAll() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let isRunning = state.withLock { state in
                guard state.phase == .running else { return false }
                state.requests.append(continuation)
                return true
            }
            guard isRunning else { return continuation.resume(throwing: SyncError.notRunning) }
            importSignal.raise()
        }
    }

    /// Stops importing, also over restarts, until ``resume()`` or for the given time.
    ///
    /// Local changes go on.
    ///
    /// The journal names `user` as the one who asked for it.
    package func pause(for duration: Duration? = nil, by user: String? = nil) async throws {
        let wall = wall
        let until = duration.map { wall.addingSaturating($0.wholeMilliseconds) }
        let since = state.withLock(\.pausedSince) ?? wall
        let text = "\(since) \(until.map(String.init) ?? "-")"
        _ = try await replica.store.writeInTurn { try $0.setSetting(StoreKeys.paused, to: text) }
        state.withLock { state in
            state.pausedSince = since
            state.pausedUntil = until
            // What is being imported is committed at the next transaction boundary.
            if !state.isStopping { control.give(.finish) }
        }
        logger.notice("importing is paused", metadata: journalMetadata(user, until: until))
        importSignal.raise()
    }

    private func journalMetadata(_ user: String?, until: UInt64? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [:]
        if let user { metadata["by"] = "\(user)" }
        if let until { metadata["until"] = "\(Date(timeIntervalSince1970: Double(until) / 1_000).ISO8601Format())" }
        return metadata
    }

    /// Goes on importing; the journal names `user` as the one who asked for it.
    package func resume(by user: String? = nil) async throws {
        _ = try await replica.store.writeInTurn { try $0.setSetting(StoreKeys.paused, to: nil) }
        endPause()
        logger.notice("importing goes on", metadata: journalMetadata(user))
        importSignal.raise()
    }

    func endPauseWhenDue() {
        let wall = wall
        guard state.withLock({ $0.pausedUntil.map { $0 <= wall } ?? false }) else { return }
        // When this fails the pause is over all the same, and so it is at the next start.
        try? replica.store.write { try $0.setSetting(StoreKeys.paused, to: nil) }
        endPause()
        logger.notice("importing goes on: the time of the pause is over")
    }

    private func endPause() {
        state.withLock { state in
            state.pausedSince = nil
            state.pausedUntil = nil
            if !state.isStopping { control.give(.proceed) }
        }
    }

    /// Reads a segment again; its status afterwards, nil when it is simply applied.
    ///
    /// - Throws: ``SyncError`` `noSuchSegment`.
    @discardableResult
    package func retry(_ name: SegmentName) async throws -> SegmentStatus? {
        let isKnown = state.withLock { state in
            state.hints.note(file: name)
            return state.planner.retry(name) || state.planner.isKnown(name)
        }
        try await importAll()
        let status = try await segment(name)
        guard isKnown || status != nil else { throw SyncError.noSuchSegment(name) }
        return status
    }

    /// Takes a held segment although its clock is ahead; its status afterwards, nil when it is simply applied.
    ///
    /// The journal names `user` as the one who accepted it.
    ///
    /// - Throws: ``SyncError`` `noSuchSegment`, `notHeld`.
    @discardableResult
    package func accept(_ name: SegmentName, by user: String? = nil) async throws -> SegmentStatus? {
        let wall = wall
        try state.withLock { state in
            guard let status = state.planner.status(of: name, wall: wall) else { throw SyncError.noSuchSegment(name) }
            guard status.state == .held, state.planner.accept(name) != nil else {
                throw SyncError.notHeld(name, state: status.state)
            }
            state.acceptedChanged = true
        }
        writeAccepted()
        logger.warning(
            "held segment is accepted",
            metadata: ["segment": "\(name.path)", "by": "\(user ?? "this program")"]
        )
        if state.withLock({ !$0.isPaused }) { try await importAll() }
        return try await segment(name)
    }

    /// State changes of segments from now on; the oldest are dropped for a listener that is slow.
    package func segmentEvents() -> AsyncStream<SegmentStatus> { events.stream() }
}
