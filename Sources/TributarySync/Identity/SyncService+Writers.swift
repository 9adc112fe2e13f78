import Logging
import TransactionLog
import TributaryAdmin
package import TributaryChanges
package import TributaryStore

// This folder handles the requests about writers: eviction, abandonment, and new clocks for unexported transactions.

extension SyncService {
    package var ownWriter: UniqueID { state.read(\.planner.own) }

    /// Stops waiting for the acknowledgements of a store until a newer transaction of the store is applied.
    package func evict(_ writer: UniqueID, by user: String? = nil) async throws {
        let changed = try await decide(.evicted, on: writer, unless: { $0 == .evicted || $0 == .abandoned })
        guard !changed.isEmpty else { return }
        environment.logger.notice("writer is evicted", metadata: metadata(writer, user))
    }

    /// Stops waiting for the missing transactions of a store; if they arrive later, they are still applied.
    package func abandon(_ writer: UniqueID, by user: String? = nil) async throws {
        let changed = try await decide(.abandoned, on: writer, unless: { $0 == .abandoned })
        state.update { $0.planner.abandoned.formUnion(changed) }
        if !changed.isEmpty { environment.logger.warning("writer is abandoned", metadata: metadata(writer, user)) }
        if state.read({ $0.pause == nil && $0.lifecycle.phase == .running }) { try await importAll() }
    }

    /// Gives all unexported transactions a fresh writer, with clocks that are not ahead.
    @discardableResult
    package func restamp(by user: String? = nil) async throws -> Restamped {
        let configuration = state.configuration
        let greatest = HybridClock.last(of: environment.wall.later(by: configuration.maxAhead))
        let store = environment.store
        let restamped = try await exports.betweenExports {
            try ContentComparison(store: store, logs: configuration.openLogs()).requireRestampable(after: greatest)
            return try store.write { try $0.restamp(after: greatest) }
        }
        let positions = try SyncRecords(store: store).positions()
        state.update {
            $0.setOwn(restamped.new, positions)
            $0.problems.end(.ownClockAhead, .exportFailed)
        }
        environment.logger.warning(
            "the transactions that were never exported have new clocks",
            metadata: [
                "writer": "\(restamped.new)", "former": "\(restamped.former)", "transactions": "\(restamped.count)",
                "by": "\(user ?? "this program")",
            ]
        )
        signals.imports.raise()
        signals.exports.raise()
        return restamped
    }

    private func decide(
        _ decision: WriterState,
        on id: UniqueID,
        unless stays: @escaping @Sendable (WriterState?) -> Bool
    ) async throws -> [UniqueID] {
        let isKnown = state.read { $0.planner.isKnown(writer: id) }
        return try await environment.store.writeAsync { transaction in
            let writers = try transaction.reader.writers.all()
            let store = writers.first { $0.id == id }?.store ?? id
            var found = writers.filter { $0.store == store }
            if let own = writers.first(where: \.isSelf), own.store == store {
                // Other stores may have seen lost transactions of a former writer of this store. The present writer
                // lacks nothing.
                guard decision == .abandoned, id != own.id else { throw SyncError.ownWriter(id) }
                found.removeAll { $0.id != id }
            }
            guard isKnown || !found.isEmpty else { throw SyncError.noSuchWriter(id) }
            let changed = found.isEmpty ? [id] : found.filter { !stays($0.state) }.map(\.id)
            for writer in changed { try transaction.setState(decision, of: writer) }
            return changed
        }
    }

    private func metadata(_ writer: UniqueID, _ user: String?) -> Logger.Metadata {
        ["writer": "\(writer)", "by": "\(user ?? "this program")"]
    }
}
