import TransactionLog
import TributaryChanges
import TributaryStore

/// Writes a state of a store into the log folder as a baseline, from a reader that stays at one generation.
struct BaselineCutter {
    let logs: LogFolder
    let cancellation: ReadCancellation
    let progress: @Sendable (Int64) -> Void

    /// - Returns: The end line.
    /// - Throws: ``SegmentError`` `forked` when the name is taken by other bytes, `rejected` when no reader would
    ///   accept it, `missing` when the folder has nothing of the writer; ``StoreError``, and `CancellationError`.
    func publish(_ name: BaselineName, _ reader: Reader) throws -> BaselineEnd {
        // The folder may be the mount point of an unmounted share.
        guard !logs.lacksFolder(of: name.writer) else {
            throw SegmentError(.missing, file: logs.path, reason: "the folder has nothing of this store")
        }
        try publishBlobs(of: name.writer, reader)
        return try BaselinePublisher(logs).publish(name) { write in
            try reader.baseline.forEachLine { count in
                if cancellation.isCancelled { throw CancellationError() }
                progress(Int64(count))
            } _: {
                if cancellation.isCancelled { throw CancellationError() }
                try write($0)
            }
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
            try BlobPublisher(logs, writer: writer).publish(sha256) { take in
                try reader.externalValues.read(sha256, size: size, take)
            }
        }
    }
}
