import Dispatch
import Glibc
import Synchronization
import TransactionLog
import TributaryChanges

/// Finds the blobs that a verified segment names and that are missing, or whose bytes do not match their name.
struct BlobSearch {
    static let limit = 64
    private static let rememberedLimit = 10_000

    let logs: LogFolder

    struct Finding: Sendable {
        /// The hashes of the first ones, in order.
        var missing: [String] = []
        /// A fault that lasts, if there is one; else one that may pass; nil for none.
        var fault: BlobFault?
    }

    func missing(in segment: VerifiedSegment, file: some SegmentBytes) throws -> [String] {
        try find(in: segment, file: file).missing
    }

    /// The blobs that a segment names and that its writer's folder has not as a whole, with a fault of their sizes.
    func find(in segment: VerifiedSegment, file: some SegmentBytes) throws -> Finding {
        // Most segments name no blob, and building the values costs more than the rest of the search.
        guard segment.mayNameBlobs else { return Finding() }
        let reader = SegmentReader(file, segment: segment)
        var missing: Set<String> = []
        var whole: Set<String> = []
        var fault: BlobFault?
        while missing.count < BlobSearch.limit, let batch = try reader.nextBatch(limit: 4_096) {
            for case .changes(let changes) in batch.events {
                for change in changes { try check(change, of: segment.name.writer, in: &missing, &whole, &fault) }
            }
        }
        return Finding(missing: missing.sorted(), fault: fault)
    }

    /// The segments whose listed missing blobs have all arrived, to be read again: more may be missing than were listed.
    func complete(_ missing: [SegmentName: [String]]) -> [SegmentName] {
        missing.filter { name, blobs in blobs.allSatisfy { self.size(of: $0, writer: name.writer) != nil } }.map(\.key)
    }

    private func check(
        _ change: Change,
        of writer: UniqueID,
        in missing: inout Set<String>,
        _ whole: inout Set<String>,
        _ fault: inout BlobFault?
    ) throws {
        let writes: [PropertyWrite]
        switch change.operation {
        case .insert(let values), .update(let values): writes = values
        default: return
        }
        for write in writes {
            // Any other value of this form is one that no model can represent, so the segment does not wait for it.
            guard case .object(let members) = write.value, members.count == 2,
                case .string(let hash)? = write.value["blob"], case .integer(let size)? = write.value["size"],
                size >= 0,
                isSHA256(hash), missing.count < BlobSearch.limit, !missing.contains(hash),
                !whole.contains("\(hash) \(size)")
            else { continue }
            guard try isWhole(hash, size: size, writer: writer) else {
                missing.insert(hash)
                let found = BlobFault(sha256: hash, size: size, found: self.size(of: hash, writer: writer))
                let isFault = found.isImpossible || found.found.map { $0 != size } ?? false
                if isFault, fault == nil || found.isLasting && fault?.isLasting == false { fault = found }
                continue
            }
            // The search reads a blob once, even when many changes name it.
            if whole.count < BlobSearch.rememberedLimit { whole.insert("\(hash) \(size)") }
        }
    }

    private func size(of hash: String, writer: UniqueID) -> Int64? {
        guard isSHA256(hash) else { return nil }
        var status = stat()
        guard fstatat(logs.descriptor, "\(writer)/blobs/\(hash)", &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return Int64(status.st_size)
    }

    /// Whether the blob exists with its bytes; a missing blob is not opened.
    ///
    /// - Throws: ``SegmentError`` `inputOutput` when the system refuses to read the blob, so that its state is unknown.
    private func isWhole(_ hash: String, size: Int64, writer: UniqueID) throws -> Bool {
        guard self.size(of: hash, writer: writer) == size else { return false }
        do {
            try BlobReader(logs: logs, writer: writer).read(hash, size: size) { _ in }
            return true
        } catch let error as SegmentError {
            if case .inputOutput = error.kind { throw error }
            return false
        }
    }
}

/// A blob that a segment names with a size that no file has, or that its file has not: waiting alone may not help.
package struct BlobFault: Hashable, Sendable {
    /// The greatest size of a file on ext4, which is far beyond what any writer exports.
    static let largestFile: Int64 = 16 << 40

    package var sha256: String
    package var size: Int64
    package var found: Int64?

    var isImpossible: Bool { size > BlobFault.largestFile }

    /// Whether waiting helps nothing: a file that is being copied has fewer bytes than it will have.
    var isLasting: Bool { isImpossible || found.map { $0 > size } ?? false }

    var text: String {
        if isImpossible { return "It names \(size) bytes for blob \(sha256), which no file can have." }
        let there = found.map { "the file has \($0)" } ?? "there is no such file"
        return "It names \(size) bytes for blob \(sha256); \(there)."
    }

    /// The remedy, which ends with a command; nil when the replicator may still bring the blob.
    func hint(for path: String) -> String? {
        guard isLasting else { return nil }
        let cause = isImpossible ? "The blob never comes" : "The file is not that blob, or the size is wrong"
        return "\(cause). Have the writer's program write the right size, then: tributaryctl segment retry \(path)"
    }
}

/// Reads blobs on its own queue for a caller that holds the write lock, and gives up on a hanging file system.
struct BlobFeed: Sendable {
    private final class Exchange: Sendable {
        let portion = Mutex<[UInt8]?>(nil)
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let isAbandoned = Atomic(false)
        let filled = DispatchSemaphore(value: 0)
        let emptied = DispatchSemaphore(value: 0)
    }

    let logs: LogFolder
    let writer: UniqueID
    let control: ImportControl
    var patience = ReadAhead.patience

    /// Hands over the bytes in portions, on the caller's thread.
    ///
    /// - Throws: What ``BlobReader`` throws; ``SegmentError`` `inputOutput` when a portion does not arrive in time.
    func read(_ sha256: String, size: Int64, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let exchange = Exchange()
        defer {
            exchange.isAbandoned.store(true, ordering: .releasing)
            exchange.emptied.signal()
        }
        DispatchQueue(label: "tributary.blob").async { [logs, writer] in
            let outcome = Result {
                try BlobReader(logs: logs, writer: writer).read(sha256, size: size) { bytes in
                    exchange.portion.withLock { $0 = Array(bytes) }
                    exchange.filled.signal()
                    exchange.emptied.wait()
                    if exchange.isAbandoned.load(ordering: .acquiring) { throw CancellationError() }
                }
            }
            exchange.outcome.withLock { $0 = outcome }
            exchange.filled.signal()
        }
        while true {
            guard exchange.filled.wait(timeout: .now() + patience / .seconds(1)) == .success else {
                throw SegmentError(
                    .inputOutput(ETIMEDOUT),
                    file: "\(writer)/blobs/\(sha256)",
                    reason: "reading makes no progress: the log folder's file system does not answer"
                )
            }
            control.step()
            guard let portion = exchange.portion.withLock({ $0.take() }) else {
                return try exchange.outcome.withLock { $0.take() }?.get() ?? ()
            }
            try portion.withUnsafeBytes(take)
            exchange.emptied.signal()
        }
    }
}

/// The bytes of a segment; each read of them counts as a step of the import.
struct MeteredBytes<Source: SegmentBytes>: SegmentBytes {
    let source: Source
    let control: ImportControl

    init(_ source: Source, _ control: ImportControl) {
        self.source = source
        self.control = control
    }

    var file: String { source.file }

    func size() throws(SegmentError) -> UInt64 { try source.size() }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int {
        let count = try source.read(at: offset, into: buffer)
        control.step()
        return count
    }
}
