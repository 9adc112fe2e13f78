import Foundation
import Glibc
import Synchronization

/// A private folder on a memory-backed file system, removed when the process exits.
///
/// Its owner locks it. Creating a folder first removes unlocked folders, which killed processes have left.
package final class MemoryFolder: Sendable {
    package let path: String
    private let lock: Int32
    private let isRemoved = Atomic(false)

    private static let prefix = "tributary-memory-"
    /// A new folder has this prefix until it is locked, so that no other process removes it.
    private static let newPrefix = ".tributary-new-"

    package convenience init() throws(StoreError) {
        try self.init(in: MemoryFolder.parent)
    }

    package init(in parent: String) throws(StoreError) {
        MemoryFolder.sweep(parent)
        var template = Array("\(parent)/\(MemoryFolder.newPrefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw MemoryFolder.failure(parent) }
        let new = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = "\(parent)/\(MemoryFolder.prefix)\(getuid())-\(UUID().uuidString.lowercased())"
        lock = open(new, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw MemoryFolder.failure(new) }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0, rename(new, path) == 0 else {
            let error = MemoryFolder.failure(new)
            close(lock)
            rmdir(new)
            throw error
        }
        MemoryFolder.atExit.add(path)
    }

    deinit { remove() }

    /// Processes that have opened files can continue to use them.
    package func remove() {
        guard !isRemoved.exchange(true, ordering: .sequentiallyConsistent) else { return }
        MemoryFolder.atExit.remove(path)
        try? FileManager.default.removeItem(atPath: path)
        close(lock)
    }

    package static var parent: String {
        let memory = "/dev/shm"
        if access(memory, W_OK | X_OK) == 0 { return memory }
        let temporary = NSTemporaryDirectory()
        return temporary.count > 1 && temporary.hasSuffix("/") ? String(temporary.dropLast()) : temporary
    }

    private static func sweep(_ parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix("\(prefix)\(getuid())-") {
            let folder = "\(parent)/\(name)"
            let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: folder) }
        }
    }

    private static func failure(_ path: String) -> StoreError {
        .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }

    private static let atExit = ExitSweep()
}

final class ExitSweep: Sendable {
    private static let paths = Mutex<Set<String>>([])
    private static let owner = getpid()

    init() {
        _ = ExitSweep.owner
        atexit {
            // A forked child that exits must not remove the folders of its parent.
            guard getpid() == ExitSweep.owner else { return }
            for path in ExitSweep.paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    func add(_ path: String) { _ = ExitSweep.paths.withLock { $0.insert(path) } }

    func remove(_ path: String) { _ = ExitSweep.paths.withLock { $0.remove(path) } }
}
