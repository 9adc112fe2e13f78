import Foundation
import Glibc

/// Another process with a read transaction on an old state, which makes the WAL grow.
package struct BlockingReader: Hashable, Sendable {
    /// Nil if the process is not visible here, for example because it is in another container.
    package var process: Int32?
    package var bytes: Int64
}

extension Store {
    /// The other processes that keep at least `bytes` in the WAL, in descending order; does not wait.
    package func blockingReaders(keeping bytes: Int64) -> [BlockingReader] {
        let path = configuration.path + "-shm"
        guard let descriptor = WALIndex.ownDescriptor(of: path), let index = WALIndex(descriptor) else { return [] }
        return index.blockingReaders(keeping: bytes)
    }
}

/// The header of `-shm`, which the connections of all processes share.
///
/// As documented by SQLite, a reader has a shared lock on the byte of its read mark, and the mark is the last WAL frame
/// that it uses. Readers that use only the store's file lock the first byte.
struct WALIndex {
    private let descriptor: Int32
    private let pageSize: Int64
    private let frames: UInt32
    private let copiedFrames: UInt32
    private let marks: [UInt32]

    private static let headerLength = 48
    private static let firstReadLock = 123
    private static let markCount = 5

    /// Nil while another process changes the header, and for an unknown format.
    init?(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 2 * Self.headerLength + 24)
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count,
            bytes[..<Self.headerLength].elementsEqual(bytes[Self.headerLength..<2 * Self.headerLength])
        else { return nil }
        func number(at offset: Int) -> UInt32 {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        }
        guard number(at: 0) == 3_007_000 else { return nil }
        // 65536 bytes are written as 1.
        let size = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 14, as: UInt16.self) }
        pageSize = size == 1 ? 65_536 : Int64(size)
        frames = number(at: 16)
        copiedFrames = number(at: 2 * Self.headerLength)
        marks = (0..<Self.markCount).map { number(at: 2 * Self.headerLength + 4 + 4 * $0) }
        self.descriptor = descriptor
    }

    /// Closing any other descriptor of the file would end the locks of all connections of this process.
    static func ownDescriptor(of path: String) -> Int32? {
        var file = stat()
        guard stat(path, &file) == 0,
            let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        return names.lazy.compactMap { Int32($0) }.first { descriptor in
            var opened = stat()
            return fstat(descriptor, &opened) == 0 && opened.st_ino == file.st_ino && opened.st_dev == file.st_dev
        }
    }

    func blockingReaders(keeping bytes: Int64) -> [BlockingReader] {
        var readers: [Int32: Int64] = [:]
        for index in 0..<Self.markCount {
            let used = index == 0 ? copiedFrames : marks[index]
            guard used <= frames else { continue }
            let kept = Int64(frames - used) * pageSize
            guard kept >= bytes, let process = holder(ofLockAt: Self.firstReadLock + index) else { continue }
            readers[process] = max(readers[process] ?? 0, kept)
        }
        return readers.map { BlockingReader(process: $0.key > 0 ? $0.key : nil, bytes: $0.value) }
            .sorted { ($1.bytes, $0.process ?? 0) < ($0.bytes, $1.process ?? 0) }
    }

    private func holder(ofLockAt offset: Int) -> Int32? {
        var lock = Glibc.flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(offset)
        lock.l_len = 1
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return max(lock.l_pid, 0)
    }
}
