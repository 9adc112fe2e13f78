import CLinux
import Glibc
import TransactionLog
import TributaryChanges
import TributaryStore

/// The folder of the store's own writer, when it is not in the log folder although the store has exported something.
///
/// The log folder may be the mount point of an unmounted share, in which nothing must be written.
struct LostFolder {
    private let own: UniqueID
    private let logs: LogFolder
    let isLost: Bool
    /// Whether the log folder is certainly no mount point: it is the one that the store has used, or has the folder of
    /// another writer.
    let isCertain: Bool

    /// Looks for the folder.
    init(of own: UniqueID, in logs: LogFolder, _ reader: Reader) throws {
        (self.own, self.logs) = (own, logs)
        isLost = try logs.lacksFolder(of: own) && reader.outbox.lastExported() > 0
        let recorded = try reader.setting(IdentityKeys.logs).flatMap { MarkedFile($0) }
        let isSame = recorded.map { FileMark(ofFile: logs.path)?.isSame(as: $0.mark) ?? false } ?? false
        isCertain = try isSame || !LogListing(path: logs.path).folders.isEmpty
    }

    /// Makes the folder when it is lost, and the log folder is certainly the one.
    func make() throws -> Bool {
        guard isLost, isCertain else { return false }
        guard mkdirat(logs.descriptor, own.description, 0o770) == 0 || errno == EEXIST else {
            throw SegmentError.system(errno, file: "\(logs.path)/\(own)", doing: "make the folder")
        }
        guard fsync(logs.descriptor) == 0 else { throw SegmentError.system(errno, file: logs.path, doing: "sync") }
        return true
    }
}
