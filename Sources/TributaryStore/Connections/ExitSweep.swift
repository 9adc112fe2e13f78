import Foundation
import Glibc
import Synchronization

/// The folders that the process removes when it exits.
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
