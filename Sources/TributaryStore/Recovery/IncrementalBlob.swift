import CSQLite
import GRDB
import Glibc
import TributaryChanges

final class IncrementalBlob {
    private var blob: OpaquePointer?
    private let connection: OpaquePointer?

    init(_ database: Database, table: String, column: String = "bytes", row: Int64, isWritable: Bool) throws {
        connection = database.sqliteConnection
        var opened: OpaquePointer?
        let code = sqlite3_blob_open(connection, "main", table, column, row, isWritable ? 1 : 0, &opened)
        guard code == SQLITE_OK else { throw StoreError.database(of: connection) }
        blob = opened
    }

    deinit { if let blob { sqlite3_blob_close(blob) } }

    /// Closing may commit what was written, so it throws on a full disk.
    func close() throws {
        let code = sqlite3_blob_close(blob)
        blob = nil
        guard code == SQLITE_OK else { throw StoreError.database(of: connection) }
    }

    var count: Int { Int(sqlite3_blob_bytes(blob)) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        guard sqlite3_blob_write(blob, bytes.baseAddress, Int32(bytes.count), Int32(offset)) == SQLITE_OK else {
            throw StoreError.database(of: connection)
        }
    }

    func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < count {
            let portion = min(buffer.count, count - offset)
            guard sqlite3_blob_read(blob, buffer.baseAddress, Int32(portion), Int32(offset)) == SQLITE_OK else {
                throw StoreError.database(of: connection)
            }
            try take(UnsafeRawBufferPointer(rebasing: buffer[..<portion]))
            offset += portion
        }
    }
}

enum FileHash {
    static func sha256(ofFile path: String) throws(StoreError) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
            guard count > 0 else { return hash.finalize().hexadecimal }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
