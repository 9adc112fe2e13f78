import Foundation
import Glibc
import TributaryAdmin

/// Holds `STORE.lock` for the life of the process, so that there is one daemon a store.
///
/// The file is never unlinked: unlinking would let two daemons lock two files of one name.
package final class StoreLock: Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        // Said before closing: a process that this one has forked holds the same open file until it runs its program,
        // and would hold the lock until then.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Takes the lock, and writes process and host into it.
    ///
    /// - Throws: ``StartFailure`` with 75 that names the holder, 78 when the file cannot be made.
    package static func take(store: String) throws(StartFailure) -> StoreLock {
        let path = store + ".lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard descriptor >= 0 else {
            throw StartFailure("the lock '\(path)' cannot be opened: \(reason(errno))", status: .badConfiguration)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = errno
            let holder = contents(of: descriptor)
            close(descriptor)
            guard error == EWOULDBLOCK else {
                throw StartFailure("the lock '\(path)' cannot be taken: \(reason(error))", status: .badConfiguration)
            }
            throw StartFailure(
                "another daemon has the store '\(store)': \(holder.isEmpty ? "it has not said its pid yet" : holder)",
                status: .tryAgain
            )
        }
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        let name = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let text = Array("pid \(getpid()) host \(name)\n".utf8)
        ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
        return StoreLock(descriptor: descriptor)
    }

    private static func contents(of descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func reason(_ error: Int32) -> String { String(cString: strerror(error)) }
}
