import Foundation
import Glibc
import TransactionLog
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
            throw CommandFailure(reason: "'\(path)' is not a regular file", status: .badData)
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

    func copy(to target: NewFile) throws(FileFailure) -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(path, errno) }
            guard count > 0 else { return hash.finalize().hexadecimal }
            let portion = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            hash.update(bufferPointer: portion)
            try target.write(portion)
        }
    }
}

/// The header of a store's file; the offsets come from the file format of SQLite, section 1.3.
struct StoreHeader {
    static let size = 100

    private let bytes: [UInt8]

    init(_ bytes: [UInt8], fileSize: Int64, file: String) throws(CommandFailure) {
        self.bytes = bytes
        func refused(_ reason: String, _ status: ExitStatus = .badData) -> CommandFailure {
            CommandFailure(reason: "'\(file)' \(reason)", status: status)
        }
        guard bytes.count == StoreHeader.size, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            throw refused("is not a backup: it is not a SQLite file")
        }
        guard number(at: 68) == UInt32(StoreFormat.applicationID) else {
            throw refused("is a SQLite database of another program")
        }
        if let reason = StoreFormat.refusal(of: Int32(bitPattern: number(at: 60))) {
            throw refused(reason, .badConfiguration)
        }
        guard Int64(number(at: 28)) * pageSize == fileSize else {
            throw refused("is incomplete: it has \(fileSize) bytes instead of \(Int64(number(at: 28)) * pageSize)")
        }
    }

    /// A backup never has a write-ahead log.
    var hasLog: Bool { bytes[18] == 2 }

    private var pageSize: Int64 {
        let size = Int64(bytes[16]) << 8 | Int64(bytes[17])
        return size == 1 ? 65_536 : size
    }

    private func number(at offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
