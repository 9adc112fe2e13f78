import Glibc
package import TransactionLog
import TributaryAdmin
package import TributaryChanges

// This folder finds changes in the log folder. The watcher gives hints of changed places, the schedule decides when
// they are scanned, and the scanner lists them and distinguishes segments from other files.

/// Lists only folders that have changed, and reads only the names of files at or below the position.
///
/// Files and folders that the system refuses to show keep their known state, and are scanned again.
package struct FolderScanner: Sendable {
    package let path: String
    private let fileSystem: @Sendable () -> UInt32
    var known: [UniqueID: KnownFolder] = [:]
    private(set) var withUnchecked: Set<UniqueID> = []

    private static let misnamedLimit = 16

    package init(path: String, fileSystem: (@Sendable () -> UInt32)? = nil) {
        self.path = path
        self.fileSystem = fileSystem ?? { FileSystemKind.at(path) }
    }

    /// Calls `watch` with each writer before it lists the writer's folder, so that no change is lost between the two.
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
        if hints.isEverything {
            folders = list(root: root, &scan)
            if let reason = ReplicatedStaging(root: root).reason {
                scan.problems.append(.init(code: .stagingReplicated, path: "\(path)/.staging", reason: reason))
            }
        }
        for writer in folders.sorted() {
            watch(writer)
            let isForced = hints.folders.contains(writer)
            look(at: writer, root: root, isForced: isForced, wall: wall, position: position(writer), &scan)
            updateUnchecked(writer)
        }
        for (writer, names) in Dictionary(grouping: hints.files, by: \.writer) {
            if !folders.contains(writer) || known[writer] != nil && !scan.retry.folders.contains(writer) {
                look(at: names, of: writer, root: root, wall: wall, position: position(writer), &scan)
                updateUnchecked(writer)
            }
            if scan.retry.folders.contains(writer) { for name in names { scan.retry.insert(file: name) } }
        }
        return scan
    }

    var baselines: BaselineFiles {
        var files = BaselineFiles()
        for folder in known.values {
            files.comparisons += folder.comparisons.map { BaselineComparison.Name(writer: folder.writer, of: $0) }
        }
        let compared = Set(files.comparisons.map(\.baseline))
        for folder in known.values { files.baselines += folder.examinedBaselines(compared: compared) }
        files.baselines.sort()
        files.comparisons.sort()
        return files
    }

    package mutating func checked(_ id: SegmentName) {
        known[id.writer]?.checked(id.bounds)
        updateUnchecked(id.writer)
    }

    /// Applied files that are not compared with the record of their end line yet.
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

    private mutating func refuseRoot(_ code: Int32, _ hints: FolderHints, _ scan: inout FolderScan) {
        scan.retry = hints
        guard code == ENOENT || code == ENOTDIR else { return scan.refuse(.logsUnreadable, path: path, error: code) }
        scan.refuse(.logsMissing, path: path, error: code)
        scan.retry.insertEverything()
        scan.vanished = Array(known.keys)
        known = [:]
        withUnchecked = []
    }

    private mutating func list(root: Int32, _ scan: inout FolderScan) -> Set<UniqueID> {
        guard let entries = DirectoryEntries(of: root) else {
            scan.refuse(.logsUnreadable, path: path, error: errno)
            scan.retry.insertEverything()
            return []
        }
        var folders: Set<UniqueID> = []
        var strangers: [FolderProblem] = []
        var misnamed: [FolderProblem] = []
        var examined = 0
        let isWhole = entries.forEach { bytes, kind, _ in
            let name = String(decoding: bytes, as: UTF8.self)
            guard let writer = SegmentName.writer(folderName: name) else {
                guard misnamed.count < FolderScanner.misnamedLimit else { return }
                var reason = SegmentFileKind.misnamed(inLogFolder: name)
                if reason == nil, kind == .folder, examined < FolderScanner.examinedLimit {
                    examined += 1
                    if FolderScanner.hasSegments(name, in: root) { reason = SegmentFileKind.foreignFolder }
                }
                if let reason {
                    misnamed.append(FolderProblem(code: .logsMisnamed, path: "\(path)/\(name)", reason: reason))
                }
                return
            }
            switch kind {
            case .folder, .unknown: folders.insert(writer)
            default:
                let reason = "It has a writer's name and is \(kind.words), not a folder."
                strangers.append(FolderProblem(code: .logsUnreadable, path: "\(path)/\(writer)", reason: reason))
            }
        }
        scan.problems += strangers + misnamed
        guard isWhole else {
            scan.refuse(.logsUnreadable, path: path, error: errno)
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

extension FolderScanner {
    /// How many folders without a writer's name are opened, and how many of their entries are looked at.
    private static let (examinedLimit, entryLimit) = (20, 100)

    private static func hasSegments(_ name: String, in root: Int32) -> Bool {
        guard !ReplicatorName(name).belongsToReplicator else { return false }
        let folder = LogFolder.folder(name, in: root)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        guard let entries = DirectoryEntries(of: folder) else { return false }
        var (count, isFound) = (0, false)
        _ = entries.forEachWhile { bytes, _, _ in
            isFound = String(decoding: bytes, as: UTF8.self).lowercased().hasSuffix(".tlog")
            count += 1
            return !isFound && count < FolderScanner.entryLimit
        }
        return isFound
    }

    private var timestampDoubt: Duration { FileSystemKind.timestampDoubt(fileSystem()) }

    mutating func look(
        at writer: UniqueID,
        root: Int32,
        isForced: Bool,
        wall: WallTime,
        position: UInt64,
        _ scan: inout FolderScan
    ) {
        guard let folder = openFolder(writer, root: root, &scan) else { return }
        defer { close(folder) }
        var status = stat()
        guard fstat(folder, &status) == 0 else { return refuse(writer, errno, &scan) }
        let inode = UInt64(status.st_ino)
        let modified = FileTime(status.st_mtim)
        if !isForced, known[writer]?.inode == inode, known[writer]?.modified == modified {
            // Unapplied files may be written to without a change of the folder.
            let pending = known[writer]?.refresh(position: position) {
                FolderScanner.status(of: $0.fileName, in: folder).map { FileAttributes($0) }
            }
            if let folder = known[writer] { scan.listings.append(folder.listing(pending ?? [])) }
        } else if let (listed, pending) = list(folder, writer, inode: inode, position: position, &scan) {
            known[writer] = listed
            if modified.isOlder(than: timestampDoubt, at: wall) { known[writer]?.modified = modified }
            scan.listings.append(listed.listing(pending))
        }
    }

    mutating func look(
        at names: [SegmentName],
        of writer: UniqueID,
        root: Int32,
        wall: WallTime,
        position: UInt64,
        _ scan: inout FolderScan
    ) {
        guard known[writer] != nil else {
            return look(at: writer, root: root, isForced: true, wall: wall, position: position, &scan)
        }
        guard let folder = openFolder(writer, root: root, &scan) else { return }
        defer { close(folder) }
        var change = ListingChange(writer: writer)
        var hasNewUnusableFiles = false
        for id in names {
            change.names.insert(id)
            if known[writer]?.isApplied(id.bounds, position: position) == true { change.appliedDifference -= 1 }
            hasNewUnusableFiles = known[writer]?.remove(id.bounds) == true || hasNewUnusableFiles
            switch entry(id, in: folder, position: position, &scan) {
            case .file(let file, let identity):
                // A hint of an applied file may mean that it was overwritten, so it is compared again.
                known[writer]?.insert(file)
                if let identity {
                    change.pending.append(WriterListing.Pending(id: id, file: identity))
                } else {
                    change.applied.insert(id)
                    change.appliedDifference += 1
                }
            case .unusableFile(let unusableFile):
                known[writer]?.insert(unusableFile)
                hasNewUnusableFiles = true
            case nil: continue
            }
        }
        known[writer]?.modified = nil
        if hasNewUnusableFiles { change.unusableFiles = known[writer]?.allUnusableFiles }
        scan.changes.append(change)
    }

    private mutating func openFolder(_ writer: UniqueID, root: Int32, _ scan: inout FolderScan) -> Int32? {
        scan.lookedAt.insert("\(path)/\(writer)")
        let folder = LogFolder.folder(writer.description, in: root)
        guard folder < 0 else { return folder }
        let code = errno
        let isNoFolder = code == ELOOP || code == ENOTDIR
        guard code == ENOENT || isNoFolder else {
            refuse(writer, code, &scan)
            return nil
        }
        known[writer] = nil
        scan.vanished.append(writer)
        if isNoFolder { scan.refuse(.logsUnreadable, path: "\(path)/\(writer)", error: code) }
        return nil
    }

    private mutating func refuse(_ writer: UniqueID, _ code: Int32, _ scan: inout FolderScan) {
        known[writer]?.modified = nil
        scan.refuse(.logsUnreadable, path: "\(path)/\(writer)", error: code)
        scan.retry.insert(folder: writer)
    }

    private mutating func list(
        _ folder: Int32,
        _ writer: UniqueID,
        inode: UInt64,
        position: UInt64,
        _ scan: inout FolderScan
    ) -> (KnownFolder, [WriterListing.Pending])? {
        guard let entries = DirectoryEntries(of: folder) else {
            refuse(writer, errno, &scan)
            return nil
        }
        let former = known[writer]
        var listed = KnownFolder(writer: writer, inode: inode)
        var files: [KnownFolder.File] = []
        var pending: [WriterListing.Pending] = []
        let isWhole = entries.forEach { bytes, kind, inode in
            guard let bounds = SegmentBounds(fileName: bytes) else {
                let text = String(decoding: bytes, as: UTF8.self)
                let kind = SegmentFileKind.classify(text, writer: writer)
                if case .baseline(let sequence) = kind { listed.insert(baseline: sequence) }
                if case .comparison(let baseline) = kind { listed.insert(comparison: baseline) }
                if let unusableFile = FolderScanner.unusableFile(text, kind, writer: writer) {
                    listed.insert(other: examined(unusableFile, in: folder))
                }
                return
            }
            let id = SegmentName(writer: writer, bounds)
            let applied = KnownFolder.File(bounds: bounds, inode: inode, isApplied: true)
            let isNamedOnly = kind == .regular && bounds.last <= position && id.isPossible
            switch isNamedOnly ? .file(applied, nil) : entry(id, in: folder, position: position, &scan) {
            case .file(let file, let identity):
                files.append(file)
                if let identity { pending.append(WriterListing.Pending(id: id, file: identity)) }
            case .unusableFile(let unusableFile): listed.insert(unusableFile)
            case nil: break
            }
        }
        guard isWhole else {
            refuse(writer, errno, &scan)
            return nil
        }
        listed.replace(with: files, former: former)
        return (listed, pending)
    }

    /// Nil when the entry has vanished, or the system refuses to examine it.
    private func entry(
        _ id: SegmentName,
        in folder: Int32,
        position: UInt64,
        _ scan: inout FolderScan
    ) -> KnownFolder.Entry? {
        func unusable(_ reason: String, hint: String) -> KnownFolder.Entry {
            let (name, state) = (id.fileName, SegmentState.rejected)
            return .unusableFile(.init(id: id, fileName: name, state: state, reason: reason, hint: hint))
        }
        guard id.isPossible else {
            let hint = "Have the writer name it as described."
            return unusable("Sequences begin with 1, and the last must not be less than the first.", hint: hint)
        }
        guard let status = FolderScanner.status(of: id.fileName, in: folder) else {
            let code = errno
            guard code != ENOENT else { return nil }
            // Each folder gets one problem, however many of its files are refused.
            if scan.refused.insert(id.writer).inserted {
                scan.refuse(.logsUnreadable, path: "\(path)/\(id.writer)", error: code)
            }
            scan.retry.insert(file: id)
            return nil
        }
        let kind = DirectoryEntries.Kind(mode: status.st_mode)
        guard kind == .regular else {
            let hint = removal(of: id.fileName, id.writer)
            return unusable("It is \(kind.words), not a regular file; it was not opened.", hint: hint)
        }
        let isApplied = id.last <= position
        let file = KnownFolder.File(bounds: id.bounds, inode: UInt64(status.st_ino), isApplied: isApplied)
        return .file(file, isApplied ? nil : FileIdentity(FileAttributes(status)))
    }

    private static func status(of name: String, in folder: Int32) -> stat? {
        var status = stat()
        return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    private func removal(of fileName: String, _ writer: UniqueID) -> String {
        "Remove it: rm -r \("\(path)/\(writer)/\(fileName)".shellWord)"
    }

    private func examined(_ unusableFile: WriterListing.UnusableFile, in folder: Int32) -> WriterListing.UnusableFile {
        guard unusableFile.state == .forked,
            let status = FolderScanner.status(of: unusableFile.fileName, in: folder)
        else { return unusableFile }
        var unusableFile = unusableFile
        let kind = DirectoryEntries.Kind(mode: status.st_mode)
        guard kind == .regular else {
            unusableFile.state = .rejected
            unusableFile.reason = "It is \(kind.words), not a regular file; it was not opened."
            unusableFile.hint = removal(of: unusableFile.fileName, unusableFile.id.writer)
            return unusableFile
        }
        unusableFile.file = FileIdentity(FileAttributes(status))
        return unusableFile
    }

    private static func unusableFile(
        _ text: String,
        _ kind: SegmentFileKind,
        writer: UniqueID
    ) -> WriterListing.UnusableFile? {
        switch kind {
        case .conflictCopy(let id):
            return WriterListing.UnusableFile(
                id: id,
                fileName: text,
                state: .forked,
                reason: "The replicator found two files of this name.",
                hint: "The daemon compares it with the applied transactions."
            )
        case .misnamed(let name, let reason):
            return WriterListing.UnusableFile(
                id: name ?? SegmentName(writer: writer, first: 0, last: 0),
                fileName: text,
                state: .rejected,
                reason: reason,
                hint: "Have the writer name it as described; until then it is not read."
            )
        case .segment, .baseline, .comparison, .ignored: return nil
        }
    }
}
