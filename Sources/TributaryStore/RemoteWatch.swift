import Foundation
import GRDB
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Notices what other processes, and other stores of this process, commit to the store's file.
///
/// A write of anyone wakes a thread of its own through inotify. The write comes before its commit can be seen, so the
/// thread takes SQLite's write lock for a moment: whoever is writing has ended then.
///
/// A user has few inotify instances (128 by default), so a process takes no more than ``limit`` of them; a watch that gets
/// none looks once a second.
package final class RemoteWatch: Sendable {
    /// Watches of one process that use inotify at a time.
    static let limit = 16
    private static let inUse = Atomic(0)

    /// Of inotify; -1 when there was none to be had.
    private let descriptor: Int32
    /// Written to when the watch is to end.
    private let stopWriteEnd: Int32
    private let stopReadEnd: Int32
    private let connection: StoreConnection
    private let names: [String]
    private let isStopped = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Nil where there is no file to watch; `changed` is called with the number of the newest transaction after each
    /// write of anyone.
    package init?(_ store: Store, changed: @escaping @Sendable (Int64) -> Void) {
        let path = store.configuration.path
        var ends: [Int32] = [0, 0]
        guard access(path, F_OK) == 0, pipe(&ends) == 0 else { return nil }
        // A program that is started meanwhile does not get them.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard let connection = try? StoreConnection.writer(path: path) else {
            for open in ends { Glibc.close(open) }
            return nil
        }
        let folder = (path as NSString).deletingLastPathComponent
        descriptor = RemoteWatch.watch(folder.isEmpty ? "." : folder)
        stopReadEnd = ends[0]
        stopWriteEnd = ends[1]
        self.connection = connection
        let name = (path as NSString).lastPathComponent
        names = [name, name + "-wal"]
        // The thread keeps the watch alive until `stop()`.
        Thread.detachNewThread { [self] in run(changed) }
    }

    /// An inotify instance that watches the folder, -1 when the process has enough of them or the system gives none.
    private static func watch(_ folder: String) -> Int32 {
        guard inUse.add(1, ordering: .relaxed).newValue <= limit else {
            inUse.subtract(1, ordering: .relaxed)
            return -1
        }
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        let events = UInt32(IN_MODIFY) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
        if descriptor >= 0, inotify_add_watch(descriptor, folder, events) >= 0 { return descriptor }
        if descriptor >= 0 { Glibc.close(descriptor) }
        inUse.subtract(1, ordering: .relaxed)
        return -1
    }

    /// Ends the watch and closes its connection; returns when the thread has ended.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return }
        var byte: UInt8 = 0
        _ = write(stopWriteEnd, &byte, 1)
        ended.wait()
    }

    private func run(_ changed: @Sendable (Int64) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var polled = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopReadEnd, events: Int16(POLLIN), revents: 0),
            ]
            // A descriptor of -1 is passed over.
            let found = poll(&polled, 2, descriptor < 0 ? 1000 : -1)
            guard found >= 0 else { continue }
            // Only now: whoever stops the watch has written, and does not touch the descriptor any more.
            if polled[1].revents != 0 { break }
            if descriptor >= 0 {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0, concerns(buffer[..<count]) else { continue }
            }
            if let newest = newest() { changed(newest) }
        }
        try? connection.close()
        for open in [stopReadEnd, stopWriteEnd] { Glibc.close(open) }
        if descriptor >= 0 {
            Glibc.close(descriptor)
            RemoteWatch.inUse.subtract(1, ordering: .relaxed)
        }
        ended.signal()
    }

    /// Whether one of the events is about the store; also when some were lost.
    private func concerns(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start + 16 <= bytes.count {
                let mask = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
                let length = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                guard start + 16 + length <= bytes.count else { return true }
                let name = String(
                    decoding: bytes[(start + 16)..<(start + 16 + length)].prefix { $0 != 0 },
                    as: UTF8.self
                )
                if mask & UInt32(IN_Q_OVERFLOW) != 0 || names.contains(name) { return true }
                start += 16 + length
            }
            return false
        }
    }

    /// The newest transaction once nobody is writing; nil when it cannot be read.
    private func newest() -> Int64? {
        while !isStopped.load(ordering: .sequentiallyConsistent) {
            do {
                return try connection.run { database in
                    try database.execute(sql: "BEGIN IMMEDIATE")
                    defer { try? database.execute(sql: "ROLLBACK") }
                    let statement = try BoundStatement(database, "SELECT max(number) FROM tributary_transaction")
                    return try statement.first { $0.integer(0) } ?? 0
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // Somebody writes for long; each try waits for a while by itself.
                continue
            } catch {
                return nil
            }
        }
        return nil
    }
}

extension RemoteWatch {
    /// The same as ``stop()`` without waiting: for those that may be on the watch's own thread.
    package func stopSoon() {
        guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return }
        var byte: UInt8 = 0
        _ = write(stopWriteEnd, &byte, 1)
    }
}
