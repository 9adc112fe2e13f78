import Glibc
import TransactionLog
import TributaryChanges
import TributaryStore

extension CompactionPass {
    /// Publishes the state of a reader as a baseline; the reader must stay at one generation.
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

    /// Replaces a file that is not a comparison; throws ``ExportFailure`` `nameTaken` if it is a folder.
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
        let reason = "A folder has the name of this store's comparison of the baseline \(name.baseline.path)"
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

    /// Publishes the large values that no writer's folder has: the removed segments contained them in their lines.
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
