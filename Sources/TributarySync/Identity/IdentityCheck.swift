package import Logging
import TransactionLog
import TributaryChanges
package import TributaryStore

/// Compares a store with its home at the start, before anything is exported, and continues it as another writer when it
/// is a copy.
///
/// A repeated check changes nothing. It needs the log folder, without which a copy cannot be told from a moved store.
package struct IdentityCheck: Sendable {
    private let store: Store
    private let logs: String
    private let machine: String?
    private let logger: Logger

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - logs: the path of the log folder.
    ///   - machine: the hash of the machine's ID.
    ///   - logger: the journal.
    package init(of store: Store, logs: String, machine: String? = MachineID.current, logger: Logger) {
        self.store = store
        self.logs = logs
        self.machine = machine
        self.logger = logger
    }

    /// Checks the identity.
    ///
    /// - Parameter isGivenUp: whether the caller does not wait any more; nothing is written then.
    /// - Throws: ``SegmentError`` when the folder cannot be read, and ``ExportFailure`` `foreignFolder` when the folder of
    ///   a copy has nothing of its writer, so that the check must be repeated; ``WriterMintError``, and ``StoreError``.
    package func run(isGivenUp: @escaping @Sendable () -> Bool = { false }) throws {
        let path = StoreHome.standardized(store.configuration.path)
        guard store.configuration.memory == nil, let file = MarkedFile(at: path) else { return }
        let recorded = try store.read { try StoreHome($0) }
        if recorded == nil, !isGivenUp() {
            // From now on a copy is noticed, however long the folder is away.
            let home = StoreHome(machine: machine, store: file, logs: nil)
            try store.write { try home.record($0) }
        }
        let current = StoreHome(machine: machine, store: file, logs: MarkedFile(at: logs))
        // Without the folder nobody knows what was exported under the writer after a copy was made.
        let folder = try LogFolder(path: logs)
        let found = try store.read { try facts(recorded, current, folder, $0) }
        let finding = IdentityFinding(found)
        guard finding.cause == nil else {
            guard !found.lacksExports else {
                let own = try store.read { try $0.writers.own() }
                throw ExportFailure.foreignFolder(path: logs, writer: own.id, sequence: own.sequence)
            }
            return try change(finding, current, folder, isGivenUp)
        }
        try keepWriter(finding, found, isGivenUp)
    }

    /// Continues the store as another writer; the new writer and the new home are one SQLite transaction.
    private func change(
        _ finding: IdentityFinding,
        _ home: StoreHome,
        _ folder: LogFolder,
        _ isGivenUp: @Sendable () -> Bool
    ) throws {
        guard let cause = finding.cause else { return }
        let wall = store.configuration.environment.wallTime()
        let minted = try WriterChange(store: store, logs: folder).mint(
            leavesFormerInUse: cause.leavesFormerInUse
        ) { transaction, minted in
            if isGivenUp() { throw CancellationError() }
            try home.record(transaction)
            try IdentityTokens.renew(for: minted, transaction)
            let event = IdentityEvent(cause, at: wall, minted, file: finding.file)
            try transaction.setSetting(IdentityKeys.event, to: event.text)
        }
        IdentityEvent(cause, at: wall, minted, file: finding.file).log(minted, logger)
    }

    private func facts(
        _ recorded: StoreHome?,
        _ current: StoreHome,
        _ folder: LogFolder,
        _ reader: Reader
    ) throws -> IdentityFacts {
        let files = try OwnFiles(in: folder, reader)
        var facts = IdentityFacts(recorded: recorded, current: current)
        facts.isRestored = try IdentityTokens.isRestored(reader)
        facts.unknownFile = files.unknown
        facts.hasExported = files.hasExported
        facts.lacksExports = files.areMissing
        if let original = facts.recorded?.store {
            facts.isOriginalThere = FileMark(ofFile: original.path)?.isSame(as: original.mark) ?? false
        }
        return facts
    }

    /// Records where the store is now, when that has changed.
    private func keepWriter(
        _ finding: IdentityFinding,
        _ facts: IdentityFacts,
        _ isGivenUp: @Sendable () -> Bool
    ) throws {
        if case .moved(let path) = finding {
            logger.notice("the store was moved", metadata: ["from": "\(path)", "to": "\(facts.current.store.path)"])
        }
        if finding == .lostFolder {
            logger.error("the log folder has nothing of this store", metadata: ["logs": "\(logs)"])
        }
        var current = facts.current
        // A folder that has nothing of the store may be another one in the place of the recorded one.
        if facts.lacksExports, let recorded = facts.recorded { current.logs = recorded.logs }
        guard facts.recorded != current, !isGivenUp() else { return }
        try store.write { try current.record($0) }
    }
}
