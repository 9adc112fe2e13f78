import Foundation
import Glibc
import TributaryAdmin
import TributaryChanges

final class BackupReader {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let status: ExitStatus = errno == ENOENT ? .noSuchThing : .inputOutput
            throw CommandFailure(reason: "'\(path)': \(String(cString: strerror(errno)))", status: status)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(reason: "'\(path)' is no regular file", status: .badData)
        }
        var bytes = [UInt8](repeating: 0, count: StoreHeader.size)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let header = try StoreHeader(Array(bytes.prefix(max(0, count))), fileSize: Int64(status.st_size), file: path)
        var log = stat()
        if header.hasLog, stat(path + "-wal", &log) == 0, log.st_size > 0 {
            throw CommandFailure(
                reason: "'\(path)' is a copy of a store that was in use, and '\(path)-wal' has a part of it: "
                    + "make a backup with: tributaryctl backup FILE",
                status: .badData
            )
        }
    }

    deinit { close(descriptor) }

    /// Writes the bytes into another file and returns their SHA-256.
    func copy(to target: NewFile) throws(CommandFailure) -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw NewFile.failure(path, errno) }
            guard count > 0 else { return hash.finalize().hexadecimal }
            let portion = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hash.update(bufferPointer: portion)
            try target.write(portion)
        }
    }
}
