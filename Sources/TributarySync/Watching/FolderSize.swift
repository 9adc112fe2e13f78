import Dispatch
import Glibc
import Synchronization
import TransactionLog
package import TributaryChanges

/// The number and size of the files in the log folder, measured from time to time.
///
/// A measurement looks at each file once, on a thread of its own: of a folder that does not answer nobody waits for more than
/// a second, and a second measurement does not begin before the first one has ended.
package final class FolderSize: Sendable {
    package struct Measured: Sendable, Hashable {
        package var files = 0
        package var bytes: Int64 = 0
        package var time: WallTime
    }

    private struct State {
        var last: Measured?
        var begun: WallTime?
        var isMeasuring = false
    }

    private let path: String
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "tributary.folder-size", qos: .background)

    private static let age = Duration.seconds(60)
    private static let deepest = 3

    package init(path: String) { self.path = path }

    /// The last measurement; a new one begins when it is a minute old.
    ///
    /// Only the first one is waited for, for a second.
    package func measured(at wall: WallTime) async -> Measured? {
        let (isDue, last) = state.withLock { state in
            // A clock that was set back makes no measurement old.
            let isOld = state.begun.map { wall < $0 || wall.duration(since: $0) >= FolderSize.age } ?? true
            guard isOld, !state.isMeasuring else { return (false, state.last) }
            state.isMeasuring = true
            state.begun = wall
            return (true, state.last)
        }
        guard isDue else { return last }
        let signal = DispatchSemaphore(value: 0)
        queue.async { [self] in
            let measured = FolderSize.measure(path, at: wall)
            state.withLock { state in
                state.isMeasuring = false
                state.last = measured ?? state.last
            }
            signal.signal()
        }
        guard last == nil else { return last }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                _ = signal.wait(timeout: .now() + 1)
                continuation.resume()
            }
        }
        return state.withLock(\.last)
    }

    private static func measure(_ path: String, at wall: WallTime) -> Measured? {
        let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else { return nil }
        var measured = Measured(time: wall)
        add(root, to: &measured, depth: 0)
        return measured
    }

    /// Adds the files of an open folder, which it closes, and of the folders in it.
    private static func add(_ folder: Int32, to measured: inout Measured, depth: Int) {
        defer { close(folder) }
        guard let entries = DirectoryEntries(of: folder) else { return }
        var folders: [String] = []
        _ = entries.forEach { name, kind, _ in
            let bytes = Array(name) + [0]
            guard bytes != [0x2E, 0], bytes != [0x2E, 0x2E, 0] else { return }
            if kind == .folder { folders.append(String(decoding: name, as: UTF8.self)) }
            var status = stat()
            let isKnown = bytes.withUnsafeBufferPointer { buffer in
                buffer.withMemoryRebound(to: CChar.self) { name in
                    name.baseAddress.map { fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) == 0 } ?? false
                }
            }
            guard isKnown, status.st_mode & S_IFMT == S_IFREG else { return }
            measured.files += 1
            measured.bytes = measured.bytes.addingSaturating(Int64(status.st_size))
        }
        guard depth < FolderSize.deepest else { return }
        for name in folders {
            let below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            if below >= 0 { add(below, to: &measured, depth: depth + 1) }
        }
    }
}
