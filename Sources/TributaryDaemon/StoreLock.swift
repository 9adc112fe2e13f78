import CLinux
import Foundation
import Glibc
import TributaryAdmin
import TributaryChanges

/// Locks `STORE.lock`, which is never removed: otherwise two daemons could lock two files of the same name.
final class StoreLock: Sendable {
    struct Failure: Hashable, Sendable {
        var time: Double
        var reason: String
    }

    private let descriptor: Int32
    let lastFailure: Failure?

    private init(descriptor: Int32, lastFailure: Failure?) {
        self.descriptor = descriptor
        self.lastFailure = lastFailure
    }

    deinit {
        // The lock is released before the file is closed: a forked process shares the open file until it executes its
        // program, and would keep the lock until then.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    static func acquire(store: String) throws(StartFailure) -> StoreLock {
        let path = store + ".lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else {
            throw StartFailure("the lock '\(path)' cannot be opened", code: errno)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            let holder = contents(of: descriptor)
            close(descriptor)
            guard error == EWOULDBLOCK else {
                throw StartFailure("the lock '\(path)' cannot be taken", code: error)
            }
            throw StartFailure(
                "another daemon has the store '\(store)': \(holder.isEmpty ? "it has not said its pid yet" : holder)",
                status: .tryAgain
            )
        }
        var owner = clinux_file_owner()
        // The daemon must be able to open the files that root creates for it.
        if geteuid() == 0, clinux_read_file_owner(store.folder, 1, &owner) == 0 {
            fchown(descriptor, owner.user, owner.group)
        }
        let lock = StoreLock(descriptor: descriptor, lastFailure: failure(in: contents(of: descriptor)))
        lock.write("pid \(getpid()) host \(DaemonLaunch.hostName())\n")
        try demandOneName(store)
        return lock
    }

    private static let failureMark = "failed "

    func record(_ failure: Failure) {
        write("\(Self.failureMark)\(failure.time) \(failure.reason)\n")
    }

    private static func failure(in text: String) -> Failure? {
        guard text.hasPrefix(failureMark) else { return nil }
        let parts = text.dropFirst(failureMark.count).split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let time = Double(parts[0]) else { return nil }
        return Failure(time: time, reason: String(parts[1]))
    }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        ftruncate(descriptor, 0)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }

    /// Refuses hard links: programs that open a store under two names damage it, because each finds its own WAL.
    ///
    /// A lock on the file itself does not help, because closing it would drop SQLite's own locks.
    private static func demandOneName(_ store: String) throws(StartFailure) {
        let path = URL(fileURLWithPath: store).resolvingSymlinksInPath().path
        guard let count = try? FileManager.default.attributesOfItem(atPath: path)[.referenceCount] as? NSNumber,
            count.intValue > 1
        else { return }
        throw StartFailure(
            "the store '\(path)' has \(count.intValue) names (hard links): programs that open it under two names damage "
                + "it. Remove all other names; to find them: find / -xdev -samefile '\(path)'",
            status: .badConfiguration
        )
    }

    private static func contents(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
