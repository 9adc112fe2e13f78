import TransactionLog
import TributaryChanges

/// Looks for single files of the log folder, which may hang.
struct LogFolderSearch: Sendable {
    let path: String

    /// The number of writers' folders in which a blob is looked for.
    private static let folders = 1_000

    /// Whether the folder has a segment; nil when that cannot be found out.
    func has(_ name: SegmentName) -> Bool? {
        do throws(SegmentError) {
            _ = try LogFolder(path: path).open(name)
            return true
        } catch {
            return error.kind == .missing ? false : nil
        }
    }

    /// By blob, the writers whose folders have a file of its name; a step for each of both.
    func writers(withBlobs blobs: [String]) -> [String: [UniqueID]] {
        guard let listing = try? LogListing(path: path) else { return [:] }
        let (logs, folders) = (listing.logs, listing.folders.prefix(LogFolderSearch.folders))
        var found: [String: [UniqueID]] = [:]
        for blob in blobs where isSHA256(blob) {
            found[blob] = folders.filter { (try? logs.openBlob(blob, writer: $0)) != nil }
        }
        return found
    }
}
