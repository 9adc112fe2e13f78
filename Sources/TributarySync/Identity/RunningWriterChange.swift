import Logging
import TransactionLog
import TributaryChanges
import TributaryStore

/// Continues the store of a running service as another writer.
///
/// The change is one SQLite transaction between two exports; a batch of the import that was planned before it applies
/// nothing, and is planned again.
struct RunningWriterChange: Sendable {
    let environment: SyncEnvironment
    let state: SyncStateOwner
    let signals: SyncSignals
    let exports: ExportLoop
    let tenure: WriterTenure

    /// The delay after which a failed change is tried again, unless an administrator asks for it earlier.
    private static let retryInterval = Duration.seconds(10)

    /// Continues as another writer, and announces it with an acknowledgement of everything.
    func run(
        greatestClock: HybridClock? = nil,
        records: @escaping @Sendable (WriteTransaction, MintedWriter) throws -> Void = { _, _ in }
    ) async throws -> MintedWriter {
        let minted = try await exports.betweenExports { [self] in
            try change(greatestClock: greatestClock, records: records)
        }
        await continueAsAnother()
        return minted
    }

    private func continueAsAnother() async {
        await announce()
        signals.imports.raise()
        signals.exports.raise()
    }

    /// Continues as another writer, between two exports, and while nobody removes or publishes files of the present one.
    func change(
        greatestClock: HybridClock? = nil,
        leavesFormerInUse: Bool = false,
        records: (WriteTransaction, MintedWriter) throws -> Void = { _, _ in }
    ) throws -> MintedWriter {
        let (store, state) = (environment.store, state)
        let change = WriterChange(store: store, logs: try LogFolder(path: state.configuration.logs))
        return try tenure.change {
            let minted = try change.mint(
                greatestClock: greatestClock,
                leavesFormerInUse: leavesFormerInUse,
                records: records
            )
            let positions = try SyncRecords(store: store).positions()
            state.update { $0.become(minted.new, positions: positions) }
            return minted
        }
    }

    /// Continues as another writer when another program writes as the present one.
    ///
    /// - Returns: false when there is no such proof, or when the change has failed; it is tried again after
    ///   ``retryInterval`` then.
    func answerFork() async -> Bool {
        let wall = environment.wall
        guard let fork = state.read(\.identity.fork), fork.attempt.map({ $0 <= wall }) ?? true else { return false }
        let cause = fork.isOlder ? IdentityEvent.Cause.older : .forked
        do {
            let minted: MintedWriter? = try await exports.betweenExports { [self] in
                // The import and an export may find the proof at one time, and each answers it.
                guard state.read(\.identity.fork) == fork else { return nil }
                return try change(leavesFormerInUse: cause.leavesFormerInUse) { transaction, minted in
                    let event = IdentityEvent(cause, at: wall, minted, file: fork.file)
                    try transaction.setSetting(IdentityKeys.event, to: event.text)
                }
            }
            guard let minted else { return true }
            await continueAsAnother()
            let event = IdentityEvent(cause, at: wall, minted, file: fork.file)
            state.update { $0.renewed(by: event) }
            event.log(minted, environment.logger)
            return true
        } catch {
            let retry = environment.wall.later(by: RunningWriterChange.retryInterval)
            state.update { $0.retryFork(at: retry) }
            environment.logger.error(
                "the store cannot become another writer",
                metadata: ["file": "\(fork.file)", "reason": "\(ErrorText.text(of: error))"]
            )
            return false
        }
    }

    /// Commits a transaction of the new writer, by which programs and other machines learn of it.
    private func announce() async {
        do {
            try await environment.replica.acknowledge()
        } catch {
            environment.logger.error("acknowledgement failed", metadata: ["reason": "\(error)"])
        }
    }
}
