import Glibc
import TransactionLog
import TributaryChanges
import TributaryStore

extension CompactionPass {
    /// Writes the state of a reader into the log folder as a baseline.
    ///
    /// The reader must stay at one generation.
    ///
    /// - Throws: ``SegmentError`` `forked` when another file has the name, `rejected` when no reader would accept the
    /// baseline, `missing` when the folder has no files of the writer; ``StoreError``, and `CancellationError`.
    func publish(_ name: BaselineName, _ reader: Reader) throws {
        try demandFolder(of: name.writer)
        try publishBlobs(of: name.writer, reader)
        _ = try logs.publish(name, signedBy: sync.environment.trust.key) { write in
            try reader.baseline.forEachLine { count in
                try stop()
                progress("baseline", Int64(count), nil)
            } _: { line in
                try stop()
                try write(line)
            }
        }
    }

    /// Publishes the comparison of a baseline, signed by `store`.
    ///
    /// It replaces a file that is not a comparison.
    ///
    /// - Throws: ``ExportFailure`` `nameTaken` when a folder has the name, which is a problem until the folder is gone;
    /// ``SegmentError`` and ``StoreError``.
    func publish(_ found: BaselineComparison, of store: UniqueID) throws {
        try demandFolder(of: found.name.writer)
        do {
            try logs.remove([found.name.fileName], of: found.name.writer)
        } catch {
            guard error.kind == .inputOutput(EISDIR) else { throw error }
            throw try taken(found.name, error.file)
        }
        let signed = sync.environment.trust.key.map { found.signed(by: $0, of: store) }
        try (signed ?? found).publish(logs)
        let remaining = try TakenNames.remaining(of: sync.environment.store, in: logs, without: found.name.path)
        sync.state.update { $0.found(remaining) }
    }

    private func taken(_ name: BaselineComparison.Name, _ file: String) throws -> ExportFailure {
        let reason = "A folder has the name of what this store has found in the baseline \(name.baseline.path)"
        let entry = TakenNames.Entry(since: sync.environment.wall, path: name.path, reason: reason)
        try sync.environment.store.write { try TakenNames.record($0) { $0.note(entry) } }
        let taken = try TakenNames.remaining(of: sync.environment.store, in: logs)
        sync.state.update { $0.found(taken) }
        return .nameTaken(file: file, reason: reason + ".")
    }

    func stop() throws {
        if cancellation.isCancelled { throw CancellationError() }
    }

    /// Throws when the writer's folder is missing: the log folder may be the mount point of an unmounted share.
    private func demandFolder(of writer: UniqueID) throws(SegmentError) {
        guard logs.lacksFolder(of: writer) else { return }
        throw SegmentError(.missing, file: logs.path, reason: "the folder has nothing of this store")
    }

    /// Publishes the large values that the baseline names and that no writer's folder has.
    ///
    /// Most values are in the lines of segments, which are removed with them.
    private func publishBlobs(of writer: UniqueID, _ reader: Reader) throws {
        let blobs = BaselineBlobs(logs: logs, writers: try reader.writers.all().map(\.id))
        try reader.externalValues.forEachBlobOfBaseline { sha256, size in
            try stop()
            guard (try? blobs.holder(of: sha256, size: size)) == nil else { return }
            try logs.publishBlob(sha256, of: writer) { take in
                try reader.externalValues.read(sha256, size: size, take)
            }
        }
    }
}
