import Foundation
import Glibc
import Synchronization

/// Folders to be removed when the process exits.
final class ExitSweep: Sendable {
    private static let paths = Mutex<Set<String>>([])
    private static let owner = getpid()

    init() {
        _ = ExitSweep.owner
        atexit {
            // A child that was forked off and exits must leave its parent's folders alone.
            guard getpid() == ExitSweep.owner else { return }
            for path in ExitSweep.paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    func add(_ path: String) { _ = ExitSweep.paths.withLock { $0.insert(path) } }

    func remove(_ path: String) { _ = ExitSweep.paths.withLock { $0.remove(path) } }
}
