import Glibc
import TransactionLog
import TributaryChanges

/// Finds the blobs that a baseline names: each is in the folder of a writer that wrote the value.
struct BaselineBlobs: Sendable {
    /// The number of missing blobs that are listed.
    static let limit = 64

    let logs: LogFolder
    let writers: [UniqueID]

    /// The writer whose folder has a blob; O(w).
    ///
    /// - Throws: ``SegmentError`` `missing`.
    func holder(of sha256: String, size: Int64) throws(SegmentError) -> UniqueID {
        if isSHA256(sha256), size >= 0 {
            for writer in writers {
                let facts = FileFacts("\(writer)/blobs/\(sha256)", in: logs)
                if facts?.bytes == UInt64(size) { return writer }
            }
        }
        throw SegmentError(.missing, file: "\(logs.path)/…/blobs/\(sha256)", reason: "no writer's folder has the blob")
    }

    /// The blobs that lines of a baseline name and that no folder has as a whole.
    ///
    /// - Throws: ``SegmentError`` when the bytes are not the verified ones, or cannot be read.
    func missing(in reader: BaselineReader) throws(SegmentError) -> [String] {
        var missing: Set<String> = []
        var whole: Set<String> = []
        while let entry = try reader.next() {
            guard missing.count < BaselineBlobs.limit, case .change(let change) = entry else { continue }
            let writes: [PropertyWrite]
            switch change.operation {
            case .insert(let values), .update(let values): writes = values
            case .delete, .link, .unlink: continue
            }
            for write in writes {
                guard case .object(let members) = write.value, members.count == 2,
                    case .string(let hash)? = write.value["blob"], case .integer(let size)? = write.value["size"],
                    size >= 0, isSHA256(hash), !missing.contains(hash), !whole.contains(hash)
                else { continue }
                if try isWhole(hash, size: size) { whole.insert(hash) } else { missing.insert(hash) }
            }
        }
        return missing.sorted()
    }

    private func isWhole(_ hash: String, size: Int64) throws(SegmentError) -> Bool {
        guard let writer = try? holder(of: hash, size: size) else { return false }
        do {
            try BlobReader(logs: logs, writer: writer).read(hash, size: size) { _ in }
            return true
        } catch let error as SegmentError {
            if case .inputOutput = error.kind { throw error }
            return false
        } catch {
            return false
        }
    }
}
