import TransactionLog
import TributaryChanges
import TributaryStore

/// Joins a verified baseline in one SQLite transaction, with the positions of its writers.
struct BaselineImport: Sendable {
    struct Outcome: Sendable {
        /// The number of changes that the store had not; nil when it has all of the baseline.
        var changes: Int?
        var writers: Int
    }

    struct MissingBlobs: Error {
        var names: [String]
    }

    let baseline: KnownBaseline
    let logs: LogFolder
    let control: ImportControl
    let wall: WallTime

    /// Verifies the whole baseline, and that the blobs that it names are there.
    func verified() throws -> VerifiedBaseline {
        let bytes = try open()
        let verified = try VerifiedBaseline.verify(bytes)
        guard verified.end.sha256 == baseline.sha256 else {
            throw SegmentError(.changed, file: bytes.file, reason: "the baseline was replaced by another one")
        }
        let missing = try blobs(verified).missing(in: BaselineReader(bytes, verified))
        guard missing.isEmpty else { throw MissingBlobs(names: missing) }
        return verified
    }

    /// Joins a baseline that has been verified.
    ///
    /// - Throws: ``SegmentError``, ``BaselineJoinError``, and what the store throws; nothing is joined then.
    func join(
        _ verified: VerifiedBaseline,
        _ transaction: WriteTransaction
    ) throws -> (Outcome, [CommittedTransaction]) {
        let reader = BaselineReader(try open(), verified)
        let (logs, control, blobs) = (logs, control, blobs(verified))
        try transaction.setBlobSource { sha256, size, receive in
            let writer = try blobs.holder(of: sha256, size: size)
            try BlobFeed(logs: logs, writer: writer, control: control).read(sha256, size: size, receive)
        }
        let before = try transaction.reader.writers.all().reduce(into: [:]) { $0[$1.id] = $1.sequence }
        let committed = try transaction.reportingProgress(control.step) {
            try transaction.joinBaseline(
                verified.header,
                writers: verified.writers,
                transactionCount: verified.end.counts.transactions
            ) {
                guard control.current != .abort else { throw CancellationError() }
                return try reader.next()
            }
        }
        try transaction.setBlobSource(nil)
        guard let committed else { return (Outcome(changes: nil, writers: 0), []) }
        let moved = verified.writers.count { $0.sequence > before[$0.id] ?? 0 }
        let own = try transaction.reader.writers.own().sequence
        try transaction.setSetting(StoreKeys.unacknowledged, to: "\(own) \(wall.milliseconds)")
        return (Outcome(changes: committed.changeCount, writers: moved), [committed])
    }

    private func open() throws(SegmentError) -> MeteredBytes<OpenFile> {
        MeteredBytes(try logs.open(fileName: baseline.name.fileName, writer: baseline.name.writer), control)
    }

    private func blobs(_ verified: VerifiedBaseline) -> BaselineBlobs {
        BaselineBlobs(logs: logs, writers: verified.writers.map(\.id))
    }
}
