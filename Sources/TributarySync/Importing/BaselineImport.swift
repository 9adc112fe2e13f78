import TransactionLog
import TributaryChanges
import TributaryStore

struct BaselineImport: Sendable {
    let baseline: KnownBaseline
    let logs: LogFolder
    let control: ImportControl

    func verified() throws(SegmentError) -> (VerifiedBaseline, missingBlobs: [String]) {
        let verified = try KnownBaselines.demandWhole(baseline, in: logs, control)
        return (verified, try blobs(verified).missing(in: BaselineReader(try logs.open(baseline, control), verified)))
    }

    /// Returns nil when the store has all transactions of the baseline.
    func join(_ verified: VerifiedBaseline, _ transaction: WriteTransaction) throws -> CommittedTransaction? {
        let reader = BaselineReader(try logs.open(baseline, control), verified)
        let (logs, control, blobs) = (logs, control, blobs(verified))
        try transaction.setBlobSource { sha256, size, receive in
            let writer = try blobs.holder(of: sha256, size: size)
            try BlobFeed(logs: logs, writer: writer, control: control).read(sha256, size: size, receive)
        }
        let committed = try transaction.reportingProgress(control.step) {
            try transaction.joinBaseline(
                verified.header,
                writers: verified.writers,
                transactionCount: Int(clamping: verified.end.transactions)
            ) {
                guard control.current != .abort else { throw CancellationError() }
                return try reader.next()
            }
        }
        try transaction.setBlobSource(nil)
        return committed
    }

    private func blobs(_ verified: VerifiedBaseline) -> BaselineBlobs {
        BaselineBlobs(logs: logs, writers: verified.writers.map(\.id))
    }
}
