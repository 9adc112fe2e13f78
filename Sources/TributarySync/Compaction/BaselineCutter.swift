import Glibc
import TransactionLog
import TributaryChanges
import TributaryModel
import TributaryStore

/// Writes a state of a store into the log folder as a baseline, and publishes what was found in one.
///
/// The reader stays at one generation.
struct BaselineCutter {
    let logs: LogFolder
    /// The key and the label of the store that signs what is published; nil for none.
    var signer: (key: SigningKey, store: UniqueID)?
    let cancellation: ReadCancellation
    let progress: @Sendable (Int64) -> Void

    /// - Returns: The end line.
    /// - Throws: ``SegmentError`` `forked` when the name is taken by other bytes, `rejected` when no reader would
    ///   accept it, `missing` when the folder has nothing of the writer; ``StoreError``, and `CancellationError`.
    func publish(_ name: BaselineName, _ reader: Reader) throws -> BaselineEnd {
        try demandFolder(of: name.writer)
        try publishBlobs(of: name.writer, reader)
        return try logs.publish(name, signedBy: signer?.key) { write in try forEachLine(of: reader, write) }
    }

    /// Publishes what was found in a baseline, in the place of a file that is no comparison.
    func publish(_ found: BaselineComparison) throws {
        try demandFolder(of: found.name.writer)
        try logs.remove([found.name.fileName], of: found.name.writer)
        let signed = signer.map { found.signed(by: $0.key, of: $0.store) }
        try (signed ?? found).publish(logs)
    }

    /// The folder may be the mount point of an unmounted share.
    private func demandFolder(of writer: UniqueID) throws(SegmentError) {
        guard logs.lacksFolder(of: writer) else { return }
        throw SegmentError(.missing, file: logs.path, reason: "the folder has nothing of this store")
    }

    private func forEachLine(of reader: Reader, _ body: ([UInt8]) throws -> Void) throws -> BaselineCounts {
        try reader.baseline.forEachLine { count in
            if cancellation.isCancelled { throw CancellationError() }
            progress(Int64(count))
        } _: {
            if cancellation.isCancelled { throw CancellationError() }
            try body($0)
        }
    }

    /// Puts large values into the log folder that the baseline names and no writer's folder has.
    ///
    /// Segments have most values in their lines, which go with them.
    private func publishBlobs(of writer: UniqueID, _ reader: Reader) throws {
        let blobs = BaselineBlobs(logs: logs, writers: try reader.writers.all().map(\.id))
        try reader.externalValues.forEachBlobOfBaseline { sha256, size in
            if cancellation.isCancelled { throw CancellationError() }
            guard (try? blobs.holder(of: sha256, size: size)) == nil else { return }
            try logs.publishBlob(sha256, of: writer) { take in
                try reader.externalValues.read(sha256, size: size, take)
            }
        }
    }
}
