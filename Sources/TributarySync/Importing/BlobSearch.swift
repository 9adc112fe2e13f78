import Dispatch
import Glibc
import Synchronization
import TransactionLog
import TributaryChanges

struct BlobSearch {
    static let limit = 64
    private static let rememberedLimit = 10_000

    let logs: LogFolder

    struct Finding: Sendable {
        var missing: [String] = []
        /// A permanent fault if there is one, otherwise a temporary fault; nil for none.
        var fault: BlobFault?
    }

    func missing(in segment: VerifiedSegment, file: some SegmentBytes) throws -> [String] {
        try find(in: segment, file: file).missing
    }

    func find(in segment: VerifiedSegment, file: some SegmentBytes) throws -> Finding {
        // Most segments name no blob, and building the values costs more than the rest of the search.
        guard segment.mayNameBlobs else { return Finding() }
        let (reader, writer) = (SegmentReader(file, segment: segment), segment.name.writer)
        var missing: Set<String> = []
        var whole: Set<String> = []
        var fault: BlobFault?
        while missing.count < BlobSearch.limit, let batch = try reader.nextBatch(limit: 4_096) {
            for (hash, size) in batch.events.lazy.flatMap(\.namedBlobs)
            where missing.count < BlobSearch.limit && !missing.contains(hash) && !whole.contains("\(hash) \(size)") {
                if try logs.hasBlob(hash, of: writer, size: size) {
                    // The search reads a blob once, even when many changes name it.
                    if whole.count < BlobSearch.rememberedLimit { whole.insert("\(hash) \(size)") }
                    continue
                }
                missing.insert(hash)
                let there = logs.blobSize(hash, of: writer, expecting: size)
                let lock = there == size ? logs.lock(ofBlob: hash, of: writer, size: size) : nil
                let found = BlobFault(sha256: hash, size: size, found: there, lock: lock)
                let isFault = found.isImpossible || lock != nil || there.map { $0 != size } ?? false
                if isFault, fault == nil || found.isLasting && fault?.isLasting == false { fault = found }
            }
        }
        return Finding(missing: missing.sorted(), fault: fault)
    }

    /// These segments are read again, because their lists of missing blobs may be incomplete.
    func complete(_ missing: [SegmentName: [String]]) -> [SegmentName] {
        missing.filter { name, blobs in blobs.allSatisfy { logs.blobSize($0, of: name.writer, expecting: 0) != nil } }
            .map(\.key)
    }
}

/// Each blob of a baseline is in the folder of a writer that wrote the value.
struct BaselineBlobs: Sendable {
    let logs: LogFolder
    let writers: [UniqueID]

    func holder(of sha256: String, size: Int64) throws(SegmentError) -> UniqueID {
        if let writer = writers.first(where: { logs.opensBlob(sha256, of: $0, size: size) }) { return writer }
        throw SegmentError(.missing, file: "\(logs.path)/…/blobs/\(sha256)", reason: "no writer's folder has the blob")
    }

    func missing(in reader: BaselineReader) throws(SegmentError) -> [String] {
        var missing: Set<String> = []
        var whole: Set<String> = []
        while let entry = try reader.next() {
            guard missing.count < BlobSearch.limit, let change = entry.change else { continue }
            for (hash, size) in change.namedBlobs where !missing.contains(hash) && !whole.contains(hash) {
                let writer = try? holder(of: hash, size: size)
                let isWhole = try writer.map { writer throws(SegmentError) in
                    try logs.hasBlob(hash, of: writer, size: size)
                }
                if isWhole ?? false { whole.insert(hash) } else { missing.insert(hash) }
            }
        }
        return missing.sorted()
    }
}

extension Change {
    fileprivate var namedBlobs: [(sha256: String, size: Int64)] {
        let writes: [PropertyWrite]
        switch operation {
        case .insert(let values), .update(let values): writes = values
        case .delete, .link, .unlink: return []
        }
        return writes.compactMap { write in
            // No model can represent any other value of this form, so nothing waits for it.
            guard case .object(let members) = write.value, members.count == 2,
                case .string(let hash)? = write.value["blob"], case .integer(let size)? = write.value["size"],
                size >= 0, isSHA256(hash)
            else { return nil }
            return (hash, size)
        }
    }
}

extension SegmentBatch.Event {
    fileprivate var namedBlobs: [(sha256: String, size: Int64)] {
        if case .changes(let changes) = self { changes.flatMap(\.namedBlobs) } else { [] }
    }
}

extension LogFolder {
    /// Nil when it is missing; an encrypted blob of the expected length has the size of its content.
    fileprivate func blobSize(_ sha256: String, of writer: UniqueID, expecting size: Int64) -> Int64? {
        guard isSHA256(sha256), let found = FileAttributes("\(writer)/blobs/\(sha256)", in: self)?.size else {
            return nil
        }
        return found == EncryptedForm.length(ofBlob: size) ? size : found
    }

    fileprivate func lock(ofBlob sha256: String, of writer: UniqueID, size: Int64) -> String? {
        do throws(SegmentError) {
            _ = try openBlob(sha256, writer: writer, size: UInt64(bitPattern: size))
            return nil
        } catch {
            return error.kind == .locked ? error.reason : nil
        }
    }

    /// The bytes are not read.
    fileprivate func opensBlob(_ sha256: String, of writer: UniqueID, size: Int64) -> Bool {
        blobSize(sha256, of: writer, expecting: size) == size
            && (try? openBlob(sha256, writer: writer, size: UInt64(bitPattern: size)).size())
                == UInt64(bitPattern: size)
    }

    /// Throws `inputOutput` when the system refuses to read the blob, so that its state is unknown.
    fileprivate func hasBlob(_ sha256: String, of writer: UniqueID, size: Int64) throws(SegmentError) -> Bool {
        guard blobSize(sha256, of: writer, expecting: size) == size else { return false }
        do {
            try readBlob(sha256, of: writer, size: size) { _ in }
            return true
        } catch {
            if let error = error as? SegmentError, !error.isOfContent { throw error }
            return false
        }
    }
}

/// A named size that no file can have or that differs from the file's size: waiting alone may not help.
package struct BlobFault: Hashable, Sendable {
    /// The greatest size of a file on ext4, far more than any writer exports.
    static let largestFile: Int64 = 16 << 40

    package var sha256: String
    package var size: Int64
    package var found: Int64?
    package var lock: String?

    var isImpossible: Bool { size > BlobFault.largestFile }

    /// Whether waiting cannot help; a file that is being copied has fewer bytes than in the end, never more.
    var isLasting: Bool { isImpossible || found.map { $0 > size } ?? false }

    var text: String {
        if isImpossible { return "It names \(size) bytes for blob \(sha256), which no file can have." }
        if let lock { return "Blob \(sha256) cannot be read: \(lock)." }
        let there = found.map { "the file has \($0)" } ?? "the file does not exist"
        return "It names \(size) bytes for blob \(sha256); \(there)."
    }

    /// It ends with a command; nil when the replicator may still bring the blob.
    func hint(for path: String) -> String? {
        if lock != nil { return SegmentError.keyHint }
        guard isLasting else { return nil }
        let cause = isImpossible ? "No file can have this size" : "The file is not that blob, or the size is wrong"
        return "\(cause). Have the writer's program write the right size, then: tributaryctl segment retry \(path)"
    }
}

/// Reads on its own queue for a caller that holds the write lock, and gives up on a hanging file system.
struct BlobFeed: Sendable {
    private final class Exchange: Sendable {
        let portion = Mutex<[UInt8]?>(nil)
        let result = Mutex<Result<Void, any Error>?>(nil)
        let isAbandoned = Atomic(false)
        let filled = DispatchSemaphore(value: 0)
        let emptied = DispatchSemaphore(value: 0)
    }

    let logs: LogFolder
    let writer: UniqueID
    let control: ImportControl

    /// Passes portions on the caller's thread; throws `inputOutput` when a portion does not arrive in time.
    func read(_ sha256: String, size: Int64, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let exchange = Exchange()
        defer {
            exchange.isAbandoned.store(true, ordering: .releasing)
            exchange.emptied.signal()
        }
        DispatchQueue(label: "tributary.blob").async { [logs, writer] in
            let result = Result {
                try logs.readBlob(sha256, of: writer, size: size) { bytes in
                    exchange.portion.withLock { $0 = Array(bytes) }
                    exchange.filled.signal()
                    exchange.emptied.wait()
                    if exchange.isAbandoned.load(ordering: .acquiring) { throw CancellationError() }
                }
            }
            exchange.result.withLock { $0 = result }
            exchange.filled.signal()
        }
        while true {
            guard exchange.filled.wait(timeout: .now() + control.patience / .seconds(1)) == .success else {
                throw SegmentError.silent("\(writer)/blobs/\(sha256)")
            }
            control.step()
            guard let portion = exchange.portion.withLock({ $0.take() }) else {
                return try exchange.result.withLock { $0.take() }?.get() ?? ()
            }
            try portion.withUnsafeBytes(take)
            exchange.emptied.signal()
        }
    }
}

/// Each read is a step of the import.
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
