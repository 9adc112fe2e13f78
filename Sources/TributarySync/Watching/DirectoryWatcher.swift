import CLinux
@preconcurrency import Dispatch
import Glibc
import Synchronization
import TransactionLog
import TributaryAdmin
package import TributaryChanges
import TributaryStore

/// Converts inotify's events into hints; an overflow or a recreated folder becomes the hint to scan everything.
package final class DirectoryWatcher: Sendable {
    private enum Place: Hashable, Sendable {
        /// The folder that contains the log folder: its events show that the log folder was recreated.
        case parent
        case root
        case writer(UniqueID)
        case blobs(UniqueID)
    }

    private struct State {
        var places: [Int32: Place] = [:]
        var isLimited = false
    }

    private let path: String
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "tributary.watcher")
    private let source: any DispatchSourceRead
    private let report: @Sendable (FolderHints) -> Void
    private let state = Mutex(State())

    /// The folder need not exist yet.
    package init(path: String, report: @escaping @Sendable (FolderHints) -> Void) throws(FolderProblem) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw FolderProblem(code: .watchFailed, path: path, reason: "inotify: \(String(cString: strerror(errno)))")
        }
        self.path = path
        self.descriptor = descriptor
        self.report = report
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in self?.drain() }
        source.activate()
    }

    deinit { source.cancel() }

    /// Reports the pending events now, without waiting for a thread of the queue.
    package func flush() { queue.sync { drain() } }

    /// Whether the system provided fewer watches than there are folders: only the rescan timer then finds some changes.
    package var isLimited: Bool { state.withLock(\.isLimited) }

    /// Must be called before each listing, so that no change is lost between the two; usually costs one system call.
    package func watchRoot() {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        let isAbsolute = path.hasPrefix("/")
        add(.parent, isAbsolute ? "/" + parent : (parent.isEmpty ? "." : parent), DirectoryWatcher.parentEvents)
        add(.root, path, DirectoryWatcher.rootEvents)
    }

    package func watch(_ writer: UniqueID) {
        add(.writer(writer), "\(path)/\(writer)", DirectoryWatcher.writerEvents)
        add(.blobs(writer), "\(path)/\(writer)/blobs", DirectoryWatcher.blobEvents)
    }

    private static let parentEvents = UInt32(bitPattern: IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
    private static let rootEvents = UInt32(
        bitPattern: IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    )
    private static let writerEvents = UInt32(
        bitPattern: IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF
            | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW
    )
    private static let blobEvents = UInt32(
        bitPattern: IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR | IN_DONT_FOLLOW
    )

    private func add(_ place: Place, _ path: String, _ events: UInt32) {
        let watch = inotify_add_watch(descriptor, path, events)
        let code = errno
        state.withLock { state in
            if watch >= 0 {
                // If one folder has two roles, the watch keeps the more specific role.
                if place != .parent || state.places[watch] == nil { state.places[watch] = place }
            } else if code == ENOSPC || code == ENOMEM {
                state.isLimited = true
            }
        }
    }

    private func drain() {
        var hints = FolderHints()
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                state.withLock { state in
                    for event in InotifyEvents(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                        record(event, &state, &hints)
                    }
                }
            }
        }
        if !hints.isEmpty { report(hints) }
    }

    private func record(_ event: InotifyEvents.Event, _ state: inout State, _ hints: inout FolderHints) {
        guard !event.isOverflow else { return hints.insertEverything() }
        guard let place = state.places[event.watch] else { return }
        if event.has(UInt32(IN_IGNORED)) { state.places[event.watch] = nil }
        switch place {
        case .parent:
            if path.hasSuffix("/" + event.name) || path == event.name { hints.insertEverything() }
        case .root:
            let isGone = event.has(UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
            if isGone || SegmentFileKind.misnamed(inLogFolder: event.name) != nil {
                hints.insertEverything()
            } else if let writer = SegmentName.writer(folderName: event.name) {
                hints.insert(folder: writer)
            }
        case .writer(let writer):
            recordFileEvent(event, of: writer, &hints)
        case .blobs(let writer):
            hints.insert(blobsOf: writer)
        }
    }

    private func recordFileEvent(_ event: InotifyEvents.Event, of writer: UniqueID, _ hints: inout FolderHints) {
        guard !event.has(UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) else {
            return hints.insert(folder: writer)
        }
        switch SegmentFileKind.classify(event.name, writer: writer) {
        case .segment(let name): hints.insert(file: name)
        case .conflictCopy, .misnamed, .baseline, .comparison: hints.insert(folder: writer)
        case .ignored:
            // A change of the folder's own attributes needs no hint: files that could not be opened are tried again anyway.
            guard event.name == "blobs" else { return }
            hints.insert(folder: writer)
            hints.insert(blobsOf: writer)
        }
    }
}

struct FolderWatch {
    private let path: String
    private let isActive: Bool
    private let report: @Sendable (FolderHints) -> Void
    private var watcher: DirectoryWatcher?
    private(set) var problem: FolderProblem?

    init(path: String, isActive: Bool = true, report: @escaping @Sendable (FolderHints) -> Void) {
        self.path = path
        self.isActive = isActive
        self.report = report
        start()
    }

    var isLimited: Bool { watcher?.isLimited ?? false }

    mutating func start() {
        guard isActive, watcher == nil else { return }
        do throws(FolderProblem) {
            watcher = try DirectoryWatcher(path: path, report: report)
            problem = nil
        } catch {
            problem = error
        }
    }

    func flush() { watcher?.flush() }

    func watchRoot() { watcher?.watchRoot() }

    var watchWriter: (UniqueID) -> Void {
        { [watcher] in watcher?.watch($0) }
    }

    func interval(_ rescan: SyncConfiguration.Rescan) -> Duration {
        if case .every(let interval) = rescan { return interval }
        let isReliable = watcher != nil && !isLimited
        return isReliable && !FileSystemKind.isRemote(FileSystemKind.at(path)) ? .seconds(600) : .seconds(30)
    }
}

package enum FileSystemKind {
    /// NFS, SMB, CIFS, SMB2, Ceph, 9P: other machines may have a file open at the same time.
    private static let network: Set<UInt32> = [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x00C3_6400, 0x0102_1997]
    private static let fuse: UInt32 = 0x6573_5546

    /// Locks and shared memory do not work between machines, so a store must not be there.
    package static func isNetwork(_ kind: UInt32) -> Bool { network.contains(kind) }

    /// Whether other machines may make changes without an inotify event on this machine.
    package static func isRemote(_ kind: UInt32) -> Bool { isNetwork(kind) || kind == fuse }

    /// The time after a change during which a folder may change again and keep its time stamp.
    ///
    /// A server's answers are cached (sshfs 20 s, NFS 60 s, rclone 5 min), so a list may be older than the time stamp.
    static func timestampDoubt(_ kind: UInt32) -> Duration { isRemote(kind) ? .seconds(600) : .seconds(2) }

    /// 0 when the file system cannot be determined.
    package static func at(_ path: String) -> UInt32 { clinux_file_system(path) }
}
