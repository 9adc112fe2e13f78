import Dispatch
import Glibc
import Synchronization
import TransactionLog
package import TributaryChanges

/// The size is measured on a thread of its own: callers wait at most a second, only the export waits without a limit.
///
/// Unchanged folders are listed again only once an hour, because a file in them may have grown.
package final class FolderSize: Sendable {
    package struct Measured: Sendable, Hashable {
        package var files = 0
        package var bytes: Int64 = 0
        package var time: WallTime
        package var writers: [UniqueID: Int64] = [:]
    }

    private struct Listed {
        var inode: UInt64
        /// Nil when the folder may change without another time stamp.
        var modified: FileTime?
        var files = 0
        var bytes: Int64 = 0
        var below: [String] = []
    }

    private struct State {
        var last: Measured?
        var added: Int64 = 0
        var begun: WallTime?
        var isMeasuring = false
    }

    private let path: String
    private let state = Mutex(State())
    private let listed = Mutex<(folders: [String: Listed], since: WallTime?)>(([:], nil))
    private let queue = DispatchQueue(label: "tributary.folder-size", qos: .utility)

    private static let age = Duration.seconds(60)
    /// A full folder is measured again after this time, because it may have room then.
    private static let ageWhenFull = Duration.seconds(1)
    private static let wholeAge = Duration.seconds(3600)
    private static let deepest = 3
    /// Nothing is cached for further folders.
    private static let keptFolders = 10_000

    package init(path: String) { self.path = path }

    /// A caller waits only for the first measurement, for a second; later measurements begin when the last is a minute old.
    package func measured(at wall: WallTime) async -> Measured? {
        let (isDue, last) = state.withLock { state in
            guard FolderSize.isOld(state.begun, FolderSize.age, at: wall), !state.isMeasuring else {
                return (false, state.last)
            }
            state.isMeasuring = true
            return (true, state.last)
        }
        guard isDue else { return withAdded }
        let signal = DispatchSemaphore(value: 0)
        queue.async { [self] in
            measure(at: wall)
            state.withLock { $0.isMeasuring = false }
            signal.signal()
        }
        guard last == nil else { return withAdded }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                _ = signal.wait(timeout: .now() + 1)
                continuation.resume()
            }
        }
        return withAdded
    }

    private var withAdded: Measured? {
        state.withLock { state in
            var measured = state.last
            if let bytes = measured?.bytes { measured?.bytes = bytes.addingSaturating(state.added) }
            return measured
        }
    }

    /// Measures on the caller's time if the last measurement is a minute old, or a second old and the folder was full.
    func isFull(_ limit: Int64, at wall: WallTime) -> Bool {
        let known: Int64? = state.withLock { state in
            guard let last = state.last, !FolderSize.isOld(state.begun, FolderSize.age, at: wall) else { return nil }
            let bytes = last.bytes.addingSaturating(state.added)
            let isDue = bytes >= limit && FolderSize.isOld(state.begun, FolderSize.ageWhenFull, at: wall)
            return isDue ? nil : bytes
        }
        if let known { return known >= limit }
        queue.sync { measure(at: wall) }
        return state.withLock { ($0.last?.bytes ?? 0).addingSaturating($0.added) } >= limit
    }

    func added(_ bytes: UInt64) {
        state.withLock { $0.added = $0.added.addingSaturating(Int64(clamping: bytes)) }
    }

    /// Requests a new measurement at the next call, because files were removed.
    func expire() { state.withLock { $0.begun = nil } }

    /// A clock that was set back makes every measurement old.
    private static func isOld(_ begun: WallTime?, _ age: Duration, at wall: WallTime) -> Bool {
        begun?.isDue(after: age, at: wall) ?? true
    }

    private func measure(at wall: WallTime) {
        let added = state.withLock { state in
            state.begun = wall
            return state.added
        }
        let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { return }
        var measured = Measured(time: wall)
        let doubt = FileSystemKind.timestampDoubt(FileSystemKind.at(path))
        listed.withLock { listed in
            if FolderSize.isOld(listed.since, FolderSize.wholeAge, at: wall) { listed = ([:], wall) }
            var found: [String: Listed] = [:]
            FolderSize.add(root, "", nil, listed.folders, doubt, &found, to: &measured, depth: 0)
            listed.folders = found
        }
        state.withLock { state in
            state.last = measured
            state.added -= added
        }
    }

    /// It closes `folder`.
    private static func add(
        _ folder: Int32,
        _ path: String,
        _ writer: UniqueID?,
        _ former: [String: Listed],
        _ doubt: Duration,
        _ found: inout [String: Listed],
        to measured: inout Measured,
        depth: Int
    ) {
        defer { close(folder) }
        guard let listed = list(folder, former[path], doubt, at: measured.time) else { return }
        if found.count < keptFolders { found[path] = listed }
        measured.files = measured.files.addingSaturating(listed.files)
        measured.bytes = measured.bytes.addingSaturating(listed.bytes)
        if let writer { measured.writers[writer] = (measured.writers[writer] ?? 0).addingSaturating(listed.bytes) }
        guard depth < deepest else { return }
        for name in listed.below {
            let below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            guard below >= 0 else { continue }
            let owner = depth == 0 ? SegmentName.writer(folderName: name) : writer
            add(below, "\(path)/\(name)", owner, former, doubt, &found, to: &measured, depth: depth + 1)
        }
    }

    private static func list(_ folder: Int32, _ former: Listed?, _ doubt: Duration, at wall: WallTime) -> Listed? {
        var status = stat()
        guard fstat(folder, &status) == 0 else { return nil }
        let (inode, modified) = (UInt64(status.st_ino), FileTime(status.st_mtim))
        if let former, former.inode == inode, former.modified == modified { return former }
        guard let entries = DirectoryEntries(of: folder) else { return nil }
        var listed = Listed(inode: inode)
        if modified.isOlder(than: doubt, at: wall) { listed.modified = modified }
        _ = entries.forEach { name, kind, _ in
            let bytes = Array(name) + [0]
            guard bytes != [0x2E, 0], bytes != [0x2E, 0x2E, 0] else { return }
            if kind == .folder { listed.below.append(String(decoding: name, as: UTF8.self)) }
            var status = stat()
            let isKnown = bytes.withUnsafeBufferPointer { buffer in
                buffer.withMemoryRebound(to: CChar.self) { name in
                    name.baseAddress.map { fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) == 0 } ?? false
                }
            }
            guard isKnown, status.st_mode & S_IFMT == S_IFREG else { return }
            listed.files += 1
            listed.bytes = listed.bytes.addingSaturating(max(0, Int64(status.st_size)))
        }
        return listed
    }
}

struct FolderRoom: Sendable {
    let limit: Int64
    let size: FolderSize
    let wall: WallTime
    /// The number of segments with changes that are exported although the folder is full.
    var exceptions = 0

    var isFull: Bool { size.isFull(limit, at: wall) }

    func added(_ bytes: UInt64) { size.added(bytes) }
}
