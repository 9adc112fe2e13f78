import Glibc
import TransactionLog
import TributaryChanges

/// Finds the blobs that a verified segment names and that are not in place.
struct BlobSearch {
    /// Missing blobs that are listed for one segment.
    static let limit = 64

    let logs: LogFolder

    func missing(in segment: VerifiedSegment, file: OpenFile) throws -> [String] {
        // Most segments name none, and building the values costs more than all the rest.
        guard segment.mayNameBlobs else { return [] }
        let reader = SegmentReader(file, segment: segment)
        var missing: Set<String> = []
        while missing.count < BlobSearch.limit, let batch = try reader.nextBatch(limit: 4_096) {
            for case .changes(let changes) in batch.events {
                for change in changes { note(change, of: segment.name.writer, in: &missing) }
            }
        }
        return missing.sorted()
    }

    /// Those of the blobs that are not in place.
    func absent(_ blobs: [String], writer: UniqueID) -> [String] {
        blobs.filter { !isPresent($0, size: nil, writer: writer) }
    }

    private func note(_ change: Change, of writer: UniqueID, in missing: inout Set<String>) {
        let writes: [PropertyWrite]
        switch change.operation {
        case .insert(let values), .update(let values): writes = values
        default: return
        }
        for write in writes {
            guard case .string(let hash)? = write.value["blob"], case .integer(let size)? = write.value["size"],
                BlobSearch.isHash(hash), missing.count < BlobSearch.limit,
                !isPresent(hash, size: size, writer: writer)
            else { continue }
            missing.insert(hash)
        }
    }

    private func isPresent(_ hash: String, size: Int64?, writer: UniqueID) -> Bool {
        guard BlobSearch.isHash(hash) else { return false }
        var status = stat()
        guard fstatat(logs.descriptor, "\(writer)/blobs/\(hash)", &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return false
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return false }
        return size.map { $0 == Int64(status.st_size) } ?? true
    }

    /// Sixty-four lower-case hexadecimal digits: what may be part of a path.
    private static func isHash(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
