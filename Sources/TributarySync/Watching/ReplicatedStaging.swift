import CLinux
import Glibc
import TransactionLog
import TributaryAdmin

/// Evidence that a replicator also copies the staging folder; it reads a bounded number of entries.
///
/// A folder of another writer in it proves nothing: on a shared mount, all machines stage there.
struct ReplicatedStaging {
    private(set) var reason: String?

    private static let largestIgnoreFile = 64 << 10
    private static let mostEntries = 1_000
    private static let mostFolders = 64

    init(root: Int32) {
        if faccessat(root, ".stfolder", F_OK, AT_SYMLINK_NOFOLLOW) == 0, !Self.leavesOut(root) {
            reason = "Syncthing shares this log folder, and no line '/.staging' in .stignore leaves the folder out."
        } else if let name = Self.foreignFile(root) {
            reason = "A replicator has written \(name) there, so that it carries unfinished files."
        }
    }

    private static func leavesOut(_ root: Int32) -> Bool {
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let file = clinux_openat(root, SyncthingIgnores.fileName, flags, 0)
        // An existing file that may not be read proves nothing.
        guard file >= 0 else { return errno != ENOENT }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: largestIgnoreFile)
        let count = read(file, &bytes, bytes.count)
        guard count >= 0, count < bytes.count else { return true }
        return SyncthingIgnores.leaveOutStaging(String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n"))
    }

    private static func foreignFile(_ root: Int32) -> String? {
        let staging = LogFolder.folder(".staging", in: root)
        guard staging >= 0 else { return nil }
        defer { close(staging) }
        var (folders, found) = ([String](), String?.none)
        look(into: staging) { name, kind in
            if isReplicators(name) { found = name } else if kind == .folder { folders.append(name) }
            return found == nil
        }
        for folder in folders.prefix(mostFolders) where found == nil {
            let below = LogFolder.folder(folder, in: staging)
            guard below >= 0 else { continue }
            defer { close(below) }
            look(into: below) { name, _ in
                if isReplicators(name) { found = "\(folder)/\(name)" }
                return found == nil
            }
        }
        return found
    }

    private static func look(into folder: Int32, _ body: (String, DirectoryEntries.Kind) -> Bool) {
        guard let entries = DirectoryEntries(of: folder) else { return }
        var count = 0
        _ = entries.forEachWhile { name, kind, _ in
            count += 1
            return body(String(decoding: name, as: UTF8.self), kind) && count < mostEntries
        }
    }

    private static func isReplicators(_ name: String) -> Bool {
        let known = ReplicatorName(name)
        return name.hasPrefix(".syncthing.") || name == ".~tmp~" || known.isConflictCopy || known.isResilioPart
    }
}
