import CLinux
import Glibc
package import TransactionLog
package import TributaryChanges

/// A stage of the import: lists the log folder where hints say that it may have changed.
///
/// The scanner opens folders only. It does not list a writer's folder again that has not changed since the last scan,
/// and of files at or below the position it reads the name only. It keeps the known state of files and folders that the
/// system refuses to show, and names them in the scan, so that they are scanned again.
package struct FolderScanner: Sendable {
    package let path: String
    var known: [UniqueID: KnownFolder] = [:]
    /// The writers with applied files that are still to be compared.
    private var withUnchecked: Set<UniqueID> = []

    /// The maximum number of listed misnamed entries of the log folder itself.
    private static let misnamedLimit = 16

    package init(path: String) {
        self.path = path
    }

    /// Scans the places that the hints name.
    ///
    /// The function calls `watch` with each writer before it lists the writer's folder, so that no change is lost
    /// between the two.
    package mutating func scan(
        _ hints: FolderHints,
        wall: WallTime,
        position: (UniqueID) -> UInt64,
        watch: (UniqueID) -> Void = { _ in }
    ) -> FolderScan {
        var scan = FolderScan()
        let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else {
            refuseRoot(errno, hints, &scan)
            return scan
        }
        defer { close(root) }
        scan.lookedAt.insert(path)
        var folders = hints.folders
        if hints.isEverything { folders = list(root: root, &scan) }
        for writer in folders.sorted() {
            watch(writer)
            let isForced = hints.folders.contains(writer)
            look(at: writer, root: root, isForced: isForced, wall: wall, position: position(writer), &scan)
            updateUnchecked(writer)
        }
        for (writer, names) in Dictionary(grouping: hints.files, by: \.writer) where !folders.contains(writer) {
            look(at: names, of: writer, root: root, wall: wall, position: position(writer), &scan)
            updateUnchecked(writer)
        }
        return scan
    }

    /// The writers' last baselines, and what stores have found in baselines; in order.
    var baselines: BaselineFiles {
        var files = BaselineFiles()
        for folder in known.values {
            files.baselines += folder.baselines.map { BaselineName(writer: folder.writer, sequence: $0) }
            files.comparisons += folder.comparisons.map { BaselineComparison.Name(writer: folder.writer, of: $0) }
        }
        files.baselines.sort()
        files.comparisons.sort()
        return files
    }

    /// Records that the end line of an applied file has been compared.
    package mutating func checked(_ id: SegmentName) {
        known[id.writer]?.checked(id.bounds)
        updateUnchecked(id.writer)
    }

    /// The applied files whose end line is still to be compared, at most `limit`.
    package func unchecked(limit: Int) -> [SegmentName] {
        var names: [SegmentName] = []
        for writer in withUnchecked where names.count < limit {
            guard let folder = known[writer] else { continue }
            names += folder.unchecked.prefix(limit - names.count).map(folder.name)
        }
        return names
    }

    private mutating func updateUnchecked(_ writer: UniqueID) {
        if known[writer]?.unchecked.isEmpty ?? true {
            withUnchecked.remove(writer)
        } else {
            withUnchecked.insert(writer)
        }
    }

    /// Handles a log folder that cannot be opened because it has vanished, or the system refuses it for the moment.
    private mutating func refuseRoot(_ code: Int32, _ hints: FolderHints, _ scan: inout FolderScan) {
        scan.retry = hints
        guard code == ENOENT || code == ENOTDIR else { return scan.refuse(.unreadable, path: path, code: code) }
        scan.refuse(.missing, path: path, code: code)
        scan.retry.insertEverything()
        scan.vanished = Array(known.keys)
        known = [:]
        withUnchecked = []
    }

    /// The writers with a folder; adds the writers whose folder has vanished to `scan`.
    private mutating func list(root: Int32, _ scan: inout FolderScan) -> Set<UniqueID> {
        guard let entries = DirectoryEntries(of: root) else {
            scan.refuse(.unreadable, path: path, code: errno)
            scan.retry.insertEverything()
            return []
        }
        var folders: Set<UniqueID> = []
        var strangers: [FolderProblem] = []
        var misnamed: [FolderProblem] = []
        let isWhole = entries.forEach { bytes, kind, _ in
            let name = String(decoding: bytes, as: UTF8.self)
            guard let writer = SegmentName.writer(folderName: name) else {
                if misnamed.count < FolderScanner.misnamedLimit,
                    let reason = SegmentFileKind.misnamed(inLogFolder: name)
                {
                    misnamed.append(FolderProblem(.misnamed, path: "\(path)/\(name)", reason: reason))
                }
                return
            }
            switch kind {
            case .folder, .unknown: folders.insert(writer)
            default:
                let reason = "It has a writer's name and is \(kind.words), not a folder."
                strangers.append(FolderProblem(.notAFolder, path: "\(path)/\(writer)", reason: reason))
            }
        }
        scan.problems += strangers + misnamed
        guard isWhole else {
            scan.refuse(.unreadable, path: path, code: errno)
            scan.retry.insertEverything()
            return folders
        }
        for writer in known.keys where !folders.contains(writer) {
            scan.vanished.append(writer)
            known[writer] = nil
            withUnchecked.remove(writer)
        }
        return folders
    }
}
