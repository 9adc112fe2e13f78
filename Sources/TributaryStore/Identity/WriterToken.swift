import CLinux
import Glibc
import Synchronization
import TributaryChanges

/// The proof that only this machine continues as a store's writer: a file with the last transaction.
///
/// A copy of the disk lacks the file, because it is on a file system in memory. A commit takes the token, and gives the
/// next token back if it succeeds, so only one of several copies finds a token that agrees with it. After a boot, or a
/// crash in a commit, there is no token, and the store continues as a fresh writer. The file is locked during a commit.
/// Without such a file system, the process keeps the token, and each start makes a fresh writer.
///
/// If boots are trusted, closing the store leaves the token on the disk. This does not detect a disk that was set back
/// as a whole.
final class WriterToken: Sendable {
    struct Content: Hashable, Sendable {
        var writer: UniqueID
        var sequence: UInt64
        var clock: HybridClock
    }

    /// The newest transaction of history after a commit; a store that was set back does not have it.
    struct Newest: Hashable, Sendable {
        var number: Int64
        var clock: HybridClock
    }

    /// `difference`: how far the wall clock was ahead of the time since the boot, in milliseconds.
    private struct Token: Equatable {
        var content: Content
        var difference: Int64

        init(_ content: Content, _ difference: Int64) { (self.content, self.difference) = (content, difference) }

        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 5, parts[4] == "\n", let writer = UniqueID(String(parts[0])),
                let sequence = UInt64(parts[1]), let clock = HybridClock(String(parts[2])),
                let difference = Int64(parts[3])
            else { return nil }
            self.init(Content(writer: writer, sequence: sequence, clock: clock), difference)
        }

        var text: String { "\(content.writer) \(content.sequence) \(content.clock) \(difference) \n" }

        /// A jump between the clocks shows that the machine itself was set back, or runs twice.
        func proves(_ other: Token) -> Bool {
            let moved = difference.subtractingReportingOverflow(other.difference)
            return content == other.content && !moved.overflow
                && moved.partialValue.magnitude <= WriterToken.greatestJump
        }
    }

    private struct State {
        var descriptor: CInt?
        var memory: Token?
        var written: [UInt8] = []
        var isKept = false
        var isProven: Bool?
        var taken: Token?
        var fresh: UniqueID?
        var newest: Newest?
    }

    private let store: String
    private let environment: StoreEnvironment
    private let trustsReboot: Bool
    private let state = Mutex(State())

    /// In bytes.
    private static let size = 128
    /// In bytes: the newest transaction of history comes before the token.
    private static let start = 64
    /// In milliseconds, between two commits.
    private static let greatestJump: UInt64 = 1_000

    init(_ configuration: StoreConfiguration) {
        (store, environment) = (configuration.path, configuration.environment)
        trustsReboot = configuration.trustsReboot
    }

    var fresh: UniqueID? {
        get { state.withLock(\.fresh) }
        set { state.withLock { $0.fresh = newValue } }
    }

    /// Whether the store continues as its writer; call this with the write lock of the store held.
    func take(_ content: () throws -> Content) throws -> Bool {
        if let known = state.withLock(\.isProven) { return known }
        let expected = Token(try content(), environment.clockDifference())
        return state.withLock { state in
            if let file = open(&state) {
                while flock(file, LOCK_EX) != 0, errno == EINTR {}
                let bytes = WriterToken.read(file, at: WriterToken.start, WriterToken.size)
                // The token in memory is enough if the file still contains what this process wrote.
                if state.memory == nil || bytes != state.written {
                    let found = Token(String(decoding: bytes, as: UTF8.self))
                    state.taken = found ?? (state.isKept ? state.memory : nil)
                } else {
                    state.taken = state.memory
                }
                ftruncate(file, off_t(WriterToken.start))
            } else {
                state.taken = state.memory
            }
            // The first commit of a process removes a token that was left on the disk.
            if state.memory == nil, let left = takeLeft(), state.taken == nil { state.taken = left }
            let isProven = state.taken?.proves(expected) ?? false
            state.isProven = isProven
            return isProven
        }
    }

    var newest: Newest? {
        state.withLock { state in
            guard let file = open(&state) else { return nil }
            let bytes = WriterToken.read(file, at: 0, WriterToken.start)
            let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ")
            guard parts.count == 3, let number = Int64(parts[0]), let clock = HybridClock(String(parts[1])) else {
                return nil
            }
            return Newest(number: number, clock: clock)
        }
    }

    private static func read(_ file: CInt, at offset: Int, _ size: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            count = max(0, pread(file, bytes.baseAddress, size, off_t(offset)))
        }
    }

    /// If `commit` throws, call ``giveBack()``.
    func committing(_ transaction: WriteTransaction, _ commit: () throws -> Void) throws {
        let (isProven, fresh) = state.withLock { ($0.isProven, $0.fresh) }
        // A rollback may have removed the part of the transaction that made the store a fresh writer.
        let isOwn = try isProven == true || (isProven != nil && transaction.writers().own == fresh)
        let next = isOwn ? Token(try transaction.writers().token(), environment.clockDifference()) : nil
        let newest = try TransactionTable(transaction.db).newest()
        try commit()
        state.withLock { state in
            guard newest != state.newest, let file = open(&state) else { return }
            let text = "\(newest.number) \(newest.clock) "
            let spaces = String(repeating: " ", count: WriterToken.start - 1 - text.utf8.count)
            let bytes = Array("\(text)\(spaces)\n".utf8)
            if pwrite(file, bytes, bytes.count, 0) == bytes.count { state.newest = newest }
        }
        if isProven != nil { give(next) }
    }

    func giveBack() {
        if state.withLock({ $0.isProven }) != nil { give(state.withLock(\.taken)) }
    }

    func begin(_ content: Content) throws {
        _ = try take { content }
        // The inode may have belonged to another store.
        state.withLock { state in
            state.newest = nil
            if let file = state.descriptor { ftruncate(file, 0) }
        }
        give(Token(content, environment.clockDifference()))
    }

    private func give(_ token: Token?) {
        state.withLock { state in
            (state.isProven, state.taken, state.fresh) = (nil, nil, nil)
            state.memory = token
            guard let file = state.descriptor else { return }
            if let token {
                state.written = Array(token.text.utf8)
                let count = state.written.count
                state.isKept = pwrite(file, state.written, count, off_t(WriterToken.start)) != count
            }
            flock(file, LOCK_UN)
        }
    }

    func close() {
        state.withLock { state in
            if trustsReboot { leave(&state) }
            if let file = state.descriptor { Glibc.close(file) }
            state.descriptor = nil
        }
    }

    deinit {
        state.withLock { state in
            if let file = state.descriptor { Glibc.close(file) }
        }
    }

    private var left: String { store + "-token" }

    /// The file may be lost if the machine loses its power.
    private func leave(_ state: inout State) {
        var token = state.memory
        let kept = open(&state)
        if let kept {
            while flock(kept, LOCK_EX) != 0, errno == EINTR {}
            let bytes = WriterToken.read(kept, at: WriterToken.start, WriterToken.size)
            token = Token(String(decoding: bytes, as: UTF8.self))
        }
        defer { if let kept { flock(kept, LOCK_UN) } }
        // A store that was not written since the boot still has its old token there.
        guard let token, unlink(left) == 0 || errno == ENOENT else { return }
        let file = clinux_openat(AT_FDCWD, left, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        let bytes = Array(token.text.utf8)
        _ = pwrite(file, bytes, bytes.count, 0)
        Glibc.close(file)
    }

    /// A token from the disk has the clocks of an older boot, so only its content is compared.
    private func takeLeft() -> Token? {
        let file = clinux_openat(AT_FDCWD, left, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0)
        guard file >= 0 else { return nil }
        let bytes = WriterToken.read(file, at: 0, WriterToken.size)
        Glibc.close(file)
        guard let token = Token(String(decoding: bytes, as: UTF8.self)), unlink(left) == 0, trustsReboot else {
            return nil
        }
        return Token(token.content, environment.clockDifference())
    }

    private func open(_ state: inout State) -> CInt? {
        var status = stat()
        if let file = state.descriptor {
            // Another process may have removed the file and made a new file.
            if fstat(file, &status) == 0, status.st_nlink > 0 { return file }
            Glibc.close(file)
            (state.descriptor, state.newest) = (nil, nil)
        }
        guard stat(store, &status) == 0 else { return nil }
        guard let folder = environment.tokens(status.st_uid) else { return nil }
        let path = "\(folder)/\(status.st_dev)-\(status.st_ino)"
        let file = clinux_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard file >= 0 else { return nil }
        var found = stat()
        guard fstat(file, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_nlink == 1,
            found.st_uid == status.st_uid || geteuid() == 0
        else {
            Glibc.close(file)
            return nil
        }
        if found.st_uid != status.st_uid { fchown(file, status.st_uid, status.st_gid) }
        state.descriptor = file
        return file
    }
}

extension WriterToken {
    enum Folder {
        /// Tmpfs and ramfs: their files vanish with a boot.
        private static let kinds: Set<UInt32> = [0x0102_1994, 0x8584_58F6]

        static func path(of user: uid_t) -> String? {
            let path = "/dev/shm/tributary-\(user)"
            if mkdir(path, 0o700) == 0, user != geteuid() { chown(path, user, gid_t.max) }
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == user,
                status.st_mode & 0o077 == 0, kinds.contains(clinux_file_system(path))
            else { return nil }
            return path
        }

        static var clockDifference: Int64 {
            func milliseconds(_ clock: clockid_t) -> Int64 {
                var time = timespec()
                clock_gettime(clock, &time)
                return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
            }
            return milliseconds(CLOCK_REALTIME) &- milliseconds(CLOCK_BOOTTIME)
        }
    }
}
