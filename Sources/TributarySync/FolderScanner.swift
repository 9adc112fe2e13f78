import CLinux
import Glibc
package import TransactionLog
package import TributaryChanges

/// Looks at the log folder and tells what is there: the truth that hints only point at.
///
/// Nothing is opened but folders. A writer's folder that has not changed since the last look is not listed again, and
/// of files at or below the position no more than the name is taken.
package struct FolderScanner: Sendable {
    /// A folder as it was when it was listed.
    struct Known: Sendable {
        var inode: UInt64
        /// Nil when the folder changed so shortly before the look that a later change may hide.
        var modified: FileTime?
        var listing: WriterListing
    }

    package let path: String
    /// The store's own writer: all its files count as applied, that is, to be compared with what was exported.
    package let own: UniqueID
    var known: [UniqueID: Known] = [:]

    package init(path: String, own: UniqueID) {
        self.path = path
        self.own = own
    }

    /// Looks where the hints say.
    ///
    /// `watch` is called with each writer before its folder is listed, so that nothing falls between the two.
    package mutating func scan(
        _ hints: FolderHints,
        wall: UInt64,
        position: (UniqueID) -> UInt64,
        watch: (UniqueID) -> Void = { _ in }
    ) -> FolderScan {
        var scan = FolderScan()
        let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else {
            let code = errno
            let kind: FolderProblem.Kind = code == ENOENT || code == ENOTDIR ? .missing : .unreadable
            scan.problems.append(FolderProblem(kind, path: path, reason: String(cString: strerror(code))))
            scan.vanished = Array(known.keys)
            known = [:]
            return scan
        }
        defer { close(root) }
        var folders = hints.folders
        if hints.isEverything { folders = list(root: root, &scan) }
        for writer in folders.sorted() {
            watch(writer)
            let isForced = hints.folders.contains(writer)
            look(at: writer, root: root, isForced: isForced, wall: wall, position: position(writer), &scan)
        }
        for (writer, names) in Dictionary(grouping: hints.files, by: \.writer) where !folders.contains(writer) {
            look(at: names, of: writer, root: root, position: position(writer), &scan)
        }
        return scan
    }

    /// The end line of an applied file has been compared.
    package mutating func checked(_ id: SegmentName) {
        known[id.writer]?.listing.applied[id.bounds]?.isChecked = true
    }

    /// Applied files whose end line is still to be compared, at most `limit`.
    package func unchecked(limit: Int) -> [SegmentName] {
        var names: [SegmentName] = []
        for folder in known.values where names.count < limit {
            names += folder.listing.unchecked(limit: limit - names.count)
        }
        return names
    }

    /// The writers that have a folder; those that had one and have none any more are noted in `scan`.
    private mutating func list(root: Int32, _ scan: inout FolderScan) -> Set<UniqueID> {
        guard let entries = DirectoryEntries(of: root) else {
            scan.problems.append(FolderProblem(.unreadable, path: path, reason: String(cString: strerror(errno))))
            return []
        }
        var folders: Set<UniqueID> = []
        var strangers: [FolderProblem] = []
        let isWhole = entries.forEach { name, kind, _ in
            guard name.count == 36, let writer = SegmentName.writer(folderName: String(decoding: name, as: UTF8.self))
            else { return }
            switch kind {
            case .folder, .unknown: folders.insert(writer)
            default:
                let reason = "It has a writer's name and is \(kind.words), not a folder."
                strangers.append(FolderProblem(.notAFolder, path: "\(path)/\(writer)", reason: reason))
            }
        }
        scan.problems += strangers
        guard isWhole else {
            scan.problems.append(FolderProblem(.unreadable, path: path, reason: String(cString: strerror(errno))))
            return folders
        }
        for writer in known.keys where !folders.contains(writer) {
            scan.vanished.append(writer)
            known[writer] = nil
        }
        return folders
    }
}
