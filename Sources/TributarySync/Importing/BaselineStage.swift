import Logging
import TransactionLog
import TributaryChanges
import TributaryStore

/// Reads the baselines of the log folder: the lines by which they are known at each scan, and each as a whole once.
struct BaselineStage {
    private let environment: SyncEnvironment
    private let state: SyncStateOwner
    private let signals: SyncSignals
    let control: ImportControl

    init(environment: SyncEnvironment, state: SyncStateOwner, signals: SyncSignals, control: ImportControl) {
        (self.environment, self.state, self.signals, self.control) = (environment, state, signals, control)
    }

    /// Reads the first and the last lines of baselines that are new or have changed.
    func read(_ names: [BaselineName], in path: String) {
        let shelf = state.read(\.shelf)
        guard let logs = try? LogFolder(path: path), !shelf.isCurrent(names, in: logs) else { return }
        replace(shelf, with: shelf.reading(names, in: logs, control, wall: environment.wall))
    }

    /// Reads the next baseline as a whole that may be verified or disputed then; each file once.
    ///
    /// - Returns: Whether there was one.
    func proveNext(in path: String) -> Bool {
        let shelf = state.read(\.shelf)
        guard let next = shelf.unread, !state.isStopping, let logs = try? LogFolder(path: path) else { return false }
        replace(shelf, with: shelf.proving(next, in: logs, control, wall: environment.wall))
        return true
    }

    /// Records what was found, and wakes the compaction.
    private func replace(_ shelf: BaselineShelf, with found: BaselineShelf) {
        guard found != shelf else { return }
        let (model, wall) = (environment.store.modelHash, environment.wall)
        state.update { $0.found(found, modelHash: model, wall: wall) }
        do {
            try BaselineProofs(store: environment.store, state: state).save(at: wall)
        } catch {
            // The next start reads the files once more.
            environment.logger.debug("proofs of baselines are not kept", metadata: ["reason": "\(error)"])
        }
        signals.baselines.raise()
    }
}
