import CLinux
import Glibc
import TransactionLog
import TributaryChanges
import TributaryStore

/// Whether a log folder lacks all files of a store that has exported something.
///
/// Such a folder may be the mount point of an unmounted share, and nothing must be written into it.
struct LostFolder {
    private let exporters: [UniqueID]
    private let logs: LogFolder
    /// The last of the store's writers that has exported something; nil when the folder has files of any of them.
    let lacking: UniqueID?
    /// Whether it is certainly not a mount point: the store has used this folder, or another writer has a folder in it.
    let isCertain: Bool

    /// O(w) for the writers.
    init(in logs: LogFolder, _ reader: Reader) throws {
        self.logs = logs
        exporters = try reader.outbox.exporters()
        lacking = try reader.outbox.committers().allSatisfy { logs.lacksFolder(of: $0) } ? exporters.last : nil
        guard lacking != nil else {
            isCertain = true
            return
        }
        let recorded = try reader.setting(IdentityKeys.logs).flatMap { MarkedFile($0) }
        let isSame = recorded.map { FileMark(ofFile: logs.path)?.isSame(as: $0.mark) ?? false } ?? false
        isCertain = try isSame || logs.writers().contains { (try? logs.fileNames(of: $0)) != nil }
    }

    func make() throws -> Bool {
        guard let lacking, isCertain else { return false }
        guard mkdirat(logs.descriptor, lacking.description, 0o770) == 0 || errno == EEXIST else {
            throw SegmentError.system(errno, file: "\(logs.path)/\(lacking)", doing: "make the folder")
        }
        guard fsync(logs.descriptor) == 0 else { throw SegmentError.system(errno, file: logs.path, doing: "sync") }
        return true
    }
}
