import Logging
package import TributaryChanges
package import TributaryStore

/// The requests of an administrator about writers.
extension SyncService {
    package var ownWriter: UniqueID { state.read(\.planner.own) }

    /// Stops counting on a writer's acknowledgements, until something newer of it is applied.
    ///
    /// A repeated request changes nothing; neither does that for an abandoned writer, on which nobody counts.
    ///
    /// - Throws: ``SyncError`` `ownWriter`, `noSuchWriter`; what writing to the store throws.
    package func evict(_ writer: UniqueID, by user: String? = nil) async throws {
        guard try await decide(.evicted, on: writer, unless: { $0 == .evicted || $0 == .abandoned }) else { return }
        let forks = try SyncRecords(store: environment.store).forks()
        state.update { $0.setForks(forks) }
        environment.logger.notice("writer is evicted", metadata: metadata(writer, user))
    }

    /// Stops waiting for a writer's missing transactions, and imports what has waited for them.
    ///
    /// The position of the writer does not move: what arrives of it later is applied. A repeated request changes nothing.
    ///
    /// - Throws: ``SyncError`` `ownWriter`, `noSuchWriter`; what writing to the store throws.
    package func abandon(_ writer: UniqueID, by user: String? = nil) async throws {
        let isNew = try await decide(.abandoned, on: writer, unless: { $0 == .abandoned })
        state.update { $0.abandon(writer) }
        if isNew { environment.logger.warning("writer is abandoned", metadata: metadata(writer, user)) }
        if state.read({ $0.pause == nil && $0.lifecycle.phase == .running }) { try await importAll() }
    }

    /// Continues as another writer, and issues what is not exported again, with clocks that are not ahead.
    ///
    /// - Parameter user: the user who requested it, for the journal.
    /// - Returns: The new writer and the former one.
    /// - Throws: ``WriterMintError``, ``SegmentError`` when the log folder cannot be read, and ``StoreError``.
    @discardableResult
    package func restamp(by user: String? = nil) async throws -> MintedWriter {
        let greatest = HybridClock.last(of: environment.wall.later(by: state.configuration.maxAhead))
        let minted = try await writerChange.run(greatestClock: greatest)
        environment.logger.warning(
            "the store continues as a new writer",
            metadata: [
                "writer": "\(minted.new)", "former": "\(minted.former)", "published": "\(minted.published)",
                "reissued": "\(minted.reissued)", "by": "\(user ?? "this program")",
            ]
        )
        return minted
    }

    var writerChange: RunningWriterChange {
        RunningWriterChange(environment: environment, state: state, signals: signals, exports: exports, tenure: tenure)
    }

    /// Records a decision about another writer.
    ///
    /// - Returns: false when the writer's state is one of those that stay.
    private func decide(
        _ decision: WriterState,
        on writer: UniqueID,
        unless stays: @escaping @Sendable (WriterState?) -> Bool
    ) async throws -> Bool {
        let (own, isKnown) = state.read { ($0.planner.own, $0.planner.isKnown(writer: writer)) }
        guard writer != own else { throw SyncError.ownWriter(writer) }
        guard isKnown else { throw SyncError.noSuchWriter(writer) }
        return try await environment.store.writeInTurn { transaction in
            let record = try transaction.reader.writers.all().first { $0.id == writer }
            guard record?.isSelf != true else { throw SyncError.ownWriter(writer) }
            guard !stays(record?.state) else { return false }
            try transaction.writerChanges.setState(decision, of: writer)
            return true
        }
    }

    private func metadata(_ writer: UniqueID, _ user: String?) -> Logger.Metadata {
        ["writer": "\(writer)", "by": "\(user ?? "this program")"]
    }
}
