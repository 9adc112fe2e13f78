import CLinux
import Glibc
import TransactionLog
import TributaryChanges

extension FolderScanner {
    /// A folder that changed within so many seconds before the look may change again with the same time stamp.
    private static let timestampDoubt: Int64 = 2

    /// Lists a writer's folder, or takes what is known when it has not changed.
    mutating func look(
        at writer: UniqueID,
        root: Int32,
        isForced: Bool,
        wall: UInt64,
        position: UInt64,
        _ scan: inout FolderScan
    ) {
        let position = writer == own ? UInt64.max : position
        guard let folder = openFolder(writer, root: root, &scan) else { return }
        defer { close(folder) }
        var status = stat()
        guard fstat(folder, &status) == 0 else { return }
        let modified = FileTime(status.st_mtim)
        if var before = known[writer], !isForced, before.inode == UInt64(status.st_ino), before.modified == modified {
            before.listing.settle(position: position)
            refresh(&before.listing, folder: folder)
            known[writer] = before
            scan.listings.append(before.listing)
            return
        }
        guard let listing = list(folder, writer: writer, position: position) else {
            scan.problems.append(
                FolderProblem(.unreadable, path: "\(path)/\(writer)", reason: String(cString: strerror(errno)))
            )
            return
        }
        let isSettled = modified.isOlder(than: FolderScanner.timestampDoubt, at: wall)
        known[writer] = Known(
            inode: UInt64(status.st_ino),
            modified: isSettled ? modified : nil,
            listing: listing
        )
        scan.listings.append(listing)
    }

    /// Looks at single files of a folder that is known.
    mutating func look(
        at names: [SegmentName],
        of writer: UniqueID,
        root: Int32,
        position: UInt64,
        _ scan: inout FolderScan
    ) {
        let position = writer == own ? UInt64.max : position
        guard var known = known[writer] else {
            return look(at: writer, root: root, isForced: true, wall: 0, position: position, &scan)
        }
        guard let folder = openFolder(writer, root: root, &scan) else { return }
        defer { close(folder) }
        known.listing.settle(position: position)
        for id in names {
            let before = known.listing.applied[id.bounds]
            known.listing.remove(id)
            var status = stat()
            guard fstatat(folder, id.fileName, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
            note(id, kind: .init(mode: status.st_mode), inode: UInt64(status.st_ino), position, folder, &known.listing)
            // A hint about a file that is applied: it may have been written over, so it is compared again.
            if before != nil { known.listing.applied[id.bounds]?.isChecked = false }
        }
        known.modified = nil
        self.known[writer] = known
        scan.listings.append(known.listing)
    }

    private mutating func openFolder(_ writer: UniqueID, root: Int32, _ scan: inout FolderScan) -> Int32? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let folder = clinux_openat(root, writer.description, flags, 0)
        guard folder < 0 else { return folder }
        let code = errno
        known[writer] = nil
        scan.vanished.append(writer)
        guard code != ENOENT else { return nil }
        let kind: FolderProblem.Kind = code == ELOOP || code == ENOTDIR ? .notAFolder : .unreadable
        let reason = String(cString: strerror(code))
        scan.problems.append(FolderProblem(kind, path: "\(path)/\(writer)", reason: reason))
        return nil
    }

    private func list(_ folder: Int32, writer: UniqueID, position: UInt64) -> WriterListing? {
        guard let entries = DirectoryEntries(of: folder) else { return nil }
        var former = known[writer]?.listing ?? WriterListing(writer: writer)
        former.settle(position: position)
        let before = former.applied
        var listing = WriterListing(writer: writer)
        listing.applied.reserveCapacity(before.count)
        let isWhole = entries.forEach { name, kind, inode in
            guard let bounds = SegmentName.bounds(fileName: name) else {
                noteOther(name, &listing)
                return
            }
            if kind == .regular, bounds.last <= position, bounds.first >= 1, bounds.first <= bounds.last {
                let isChecked = before[bounds].map { $0.isChecked && $0.inode == inode } ?? false
                listing.applied[bounds] = WriterListing.Applied(inode: inode, isChecked: isChecked)
                return
            }
            let id = SegmentName(writer: writer, first: bounds.first, last: bounds.last)
            note(id, kind: kind, inode: inode, position, folder, &listing)
        }
        return isWhole ? listing : nil
    }

    /// A name of the pattern.
    private func note(
        _ id: SegmentName,
        kind: DirectoryEntries.Kind,
        inode: UInt64,
        _ position: UInt64,
        _ folder: Int32,
        _ listing: inout WriterListing
    ) {
        guard id.isPossible else {
            listing.misfits.append(
                misfit(id, "Sequences begin with 1 and do not run backwards.", "Have the writer name it as it should.")
            )
            return
        }
        var status = stat()
        let isFound = fstatat(folder, id.fileName, &status, AT_SYMLINK_NOFOLLOW) == 0
        let kind = isFound ? DirectoryEntries.Kind(mode: status.st_mode) : kind
        guard kind == .regular else {
            let reason = "It is \(kind.words), not a regular file; it was not opened."
            listing.misfits.append(misfit(id, reason, "Remove it."))
            return
        }
        guard isFound else { return }
        if id.last <= position {
            listing.applied[id.bounds] = WriterListing.Applied(inode: inode, isChecked: false)
        } else {
            listing.pending.append(WriterListing.Pending(id: id, file: FileIdentity(status)))
        }
    }

    /// A name that is no segment's: only a replicator's conflict copy is of interest.
    private func noteOther(_ name: UnsafeRawBufferPointer, _ listing: inout WriterListing) {
        let shortestCopy = 50
        guard name.count >= shortestCopy else { return }
        let text = String(decoding: name, as: UTF8.self)
        guard case .conflictCopy(let id) = SegmentFileKind.classify(text, writer: listing.writer) else { return }
        listing.misfits.append(
            WriterListing.Misfit(
                id: id,
                fileName: text,
                state: .forked,
                reason: "The replicator found two files of this name: two programs write as this writer.",
                hint: "Find the copy of writer \(listing.writer) and give it a writer of its own."
            )
        )
    }

    private func misfit(_ id: SegmentName, _ reason: String, _ hint: String) -> WriterListing.Misfit {
        WriterListing.Misfit(id: id, fileName: id.fileName, state: .rejected, reason: reason, hint: hint)
    }

    /// Files that are not applied may be written to without the folder changing.
    private func refresh(_ listing: inout WriterListing, folder: Int32) {
        for index in listing.pending.indices.reversed() {
            var status = stat()
            guard fstatat(folder, listing.pending[index].id.fileName, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                listing.pending.remove(at: index)
                continue
            }
            listing.pending[index].file = FileIdentity(status)
        }
    }
}

extension FileIdentity {
    init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            modified: FileTime(status.st_mtim),
            changed: FileTime(status.st_ctim)
        )
    }
}
