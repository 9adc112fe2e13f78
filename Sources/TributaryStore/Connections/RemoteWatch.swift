import Foundation
import GRDB
import Synchronization
import TributaryChanges

#if canImport(Glibc)
    import Glibc
#endif

/// Reports commits of other processes, and of other stores of this process, to the store's file.
///
/// An inotify event comes before its commit is visible. The watch therefore takes SQLite's write lock once after each
/// burst of writes: then the writer has finished. A user has few inotify instances (128 by default), so a process takes
/// at most ``limit``; other watches poll once a second.
package final class RemoteWatch: Sendable {
    static let limit = 16
    /// In milliseconds: a burst ends after this time without a write.
    private static let quiet: Int32 = 10
    /// The longest burst.
    private static let ceiling: Duration = .milliseconds(100)
    private static let inUse = Atomic(0)

    private let descriptor: Int32
    private let stopWriteEnd: Int32
    private let stopReadEnd: Int32
    private let connection: StoreConnection
    private let names: [String]
    private let isStopped = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Nil without a file; `changed` receives the newest transaction's number after a write by any program.
    package init?(_ store: Store, changed: @escaping @Sendable (Int64) -> Void) {
        let path = store.configuration.path
        var ends: [Int32] = [0, 0]
        guard access(path, F_OK) == 0, pipe(&ends) == 0 else { return nil }
        // A program that this process starts does not inherit the descriptors.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard let connection = try? StoreConnection.writer(path: path) else {
            for open in ends { Glibc.close(open) }
            return nil
        }
        descriptor = RemoteWatch.watch(path.folder)
        stopReadEnd = ends[0]
        stopWriteEnd = ends[1]
        self.connection = connection
        let name = (path as NSString).lastPathComponent
        names = [name, name + "-wal"]
        // The thread keeps the watch alive until `stop()`.
        Thread.detachNewThread { [self] in run(changed) }
    }

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

    package func stop() {
        if requestStop() { ended.wait() }
    }

    /// Does not wait, unlike ``stop()``: the caller may be on the watch's own thread.
    package func stopSoon() { _ = requestStop() }

    private func requestStop() -> Bool {
        guard !isStopped.exchange(true, ordering: .sequentiallyConsistent) else { return false }
        var byte: UInt8 = 0
        _ = write(stopWriteEnd, &byte, 1)
        return true
    }

    private func run(_ changed: @Sendable (Int64) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var mustReadAgain = false
        while true {
            let result = wait(descriptor < 0 || mustReadAgain ? 1000 : -1, &buffer)
            if result == .stop { break }
            guard result == .store || (result == .nothing && (descriptor < 0 || mustReadAgain)) else { continue }
            gather(&buffer)
            let newest = newest()
            // The loop reads the newest transaction again after a failed read.
            mustReadAgain = newest == nil
            if let newest { changed(newest) }
        }
        try? connection.close()
        for open in [stopReadEnd, stopWriteEnd] { Glibc.close(open) }
        if descriptor >= 0 {
            Glibc.close(descriptor)
            RemoteWatch.inUse.subtract(1, ordering: .relaxed)
        }
        ended.signal()
    }

    private enum WaitResult {
        case store
        case other
        case nothing
        case stop
    }

    private func wait(_ milliseconds: Int32, _ buffer: inout [UInt8]) -> WaitResult {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopReadEnd, events: Int16(POLLIN), revents: 0),
        ]
        // `poll` ignores a descriptor of -1.
        let found = poll(&polled, 2, milliseconds)
        guard found > 0 else { return found == 0 ? .nothing : .other }
        // The thread may end now, because the caller of `stop()` has written and does not use the descriptor again.
        if polled[1].revents != 0 { return .stop }
        let count = read(descriptor, &buffer, buffer.count)
        return count > 0 && concerns(buffer[..<count]) ? .store : .other
    }

    /// Waits for the end of a burst, because taking the lock after each write of this process would delay its writes.
    private func gather(_ buffer: inout [UInt8]) {
        guard descriptor >= 0 else { return }
        let end = ContinuousClock.now + RemoteWatch.ceiling
        while ContinuousClock.now < end {
            var stop = pollfd(fd: stopReadEnd, events: Int16(POLLIN), revents: 0)
            // The stop request stays in the pipe for the next wait.
            if poll(&stop, 1, RemoteWatch.quiet) > 0 || wait(0, &buffer) == .nothing { return }
        }
    }

    private func concerns(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            InotifyEvents(bytes).contains { $0.isOverflow || names.contains($0.name) }
        }
    }

    private func newest() -> Int64? {
        while !isStopped.load(ordering: .sequentiallyConsistent) {
            do {
                return try connection.run { database in
                    try database.execute(sql: "BEGIN IMMEDIATE")
                    defer { try? database.execute(sql: "ROLLBACK") }
                    return try TransactionTable(database).newest().number
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // Another process is writing. Each attempt waits for the busy timeout.
                continue
            } catch {
                return nil
            }
        }
        return nil
    }
}
