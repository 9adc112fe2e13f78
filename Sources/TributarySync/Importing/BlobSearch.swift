import Glibc
import TransactionLog
import TributaryChanges

/// Finds the blobs that a verified segment names and that are not in place, or have other bytes than their name says.
struct BlobSearch {
    /// Missing blobs that are listed for one segment.
    static let limit = 64
    /// Blobs that are remembered as whole.
    private static let rememberedLimit = 10_000

    let logs: LogFolder

    func missing(in segment: VerifiedSegment, file: some SegmentBytes) throws -> [String] {
        // Most segments name none, and building the values costs more than all the rest.
        guard segment.mayNameBlobs else { return [] }
        let reader = SegmentReader(file, segment: segment)
        var missing: Set<String> = []
        var whole: Set<String> = []
        while missing.count < BlobSearch.limit, let batch = try reader.nextBatch(limit: 4_096) {
            for case .changes(let changes) in batch.events {
                for change in changes { try check(change, of: segment.name.writer, in: &missing, &whole) }
            }
        }
        return missing.sorted()
    }

    /// The segments whose missing blobs are all in place.
    ///
    /// They are to be read again, for there may be more blobs missing than were listed.
    func complete(_ missing: [SegmentName: [String]]) -> [SegmentName] {
        missing.filter { name, blobs in blobs.allSatisfy { isPresent($0, size: nil, writer: name.writer) } }.map(\.key)
    }

    private func check(
        _ change: Change,
        of writer: UniqueID,
        in missing: inout Set<String>,
        _ whole: inout Set<String>
    ) throws {
        let writes: [PropertyWrite]
        switch change.operation {
        case .insert(let values), .update(let values): writes = values
        default: return
        }
        for write in writes {
            // Anything else that looks like one is a value that no model can represent: nothing is waited for.
            guard case .object(let members) = write.value, members.count == 2,
                case .string(let hash)? = write.value["blob"], case .integer(let size)? = write.value["size"],
                size >= 0,
                BlobReader.isHash(hash), missing.count < BlobSearch.limit, !missing.contains(hash),
                !whole.contains("\(hash) \(size)")
            else { continue }
            guard try isWhole(hash, size: size, writer: writer) else {
                missing.insert(hash)
                continue
            }
            // A blob that many changes name is read once.
            if whole.count < BlobSearch.rememberedLimit { whole.insert("\(hash) \(size)") }
        }
    }

    private func isPresent(_ hash: String, size: Int64?, writer: UniqueID) -> Bool {
        guard BlobReader.isHash(hash) else { return false }
        var status = stat()
        guard fstatat(logs.descriptor, "\(writer)/blobs/\(hash)", &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return false
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return false }
        return size.map { $0 == Int64(status.st_size) } ?? true
    }

    /// Whether the blob is in place with its bytes; a missing one, as most that are waited for, is not opened.
    ///
    /// - Throws: ``SegmentError`` `inputOutput` when the system refuses to read it: nothing is known of it then.
    private func isWhole(_ hash: String, size: Int64, writer: UniqueID) throws -> Bool {
        guard isPresent(hash, size: size, writer: writer) else { return false }
        do {
            try BlobReader(logs: logs, writer: writer).read(hash, size: size) { _ in }
            return true
        } catch let error as SegmentError {
            if case .inputOutput = error.kind { throw error }
            return false
        }
    }
}
