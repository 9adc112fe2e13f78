import Foundation
import TributaryChanges

/// The bytes of a store's files at one moment, as the disk has them when the program or the machine ends then.
struct StoreImage: Sendable {
    private let database: Data
    private let wal: Data?

    /// The length of the header of a WAL index.
    private static let indexHeaderBytes = 136

    /// Reads the files; those of a closed store have everything in the first one.
    init(of path: String, isClosed: Bool = false) throws {
        database = try Data(contentsOf: URL(fileURLWithPath: path))
        wal = isClosed ? nil : try? Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    }

    /// The hash of the first file.
    var sha256: String { SHA256.hash(data: database).hexadecimal }

    /// Writes the bytes into the files of a closed store, which stay where they are.
    func restore(to path: String) throws {
        try StoreImage.write(database, to: path)
        if let wal { try StoreImage.write(wal, to: path + "-wal") } else { unlink(path + "-wal") }
        unlink(path + "-shm")
    }

    /// Writes the bytes into the files of an open store, on which no transaction is open.
    ///
    /// The header of the WAL index loses its bytes, as by the end of a machine. So the next transaction recovers the
    /// index from the WAL, and its connection reads all pages again; its prepared statements stay. It must be one that
    /// writes: with that commit the header differs from all that other connections have seen, and they read again too.
    func restore(below path: String) throws {
        try StoreImage.write(database, to: path)
        try StoreImage.write(wal ?? Data(), to: path + "-wal")
        guard let index = FileHandle(forUpdatingAtPath: path + "-shm") else { return }
        defer { try? index.close() }
        try index.write(contentsOf: Data(count: StoreImage.indexHeaderBytes))
    }

    private static func write(_ data: Data, to path: String) throws {
        // The file stays the same one, so that the store does not take itself for a copy.
        guard let file = FileHandle(forWritingAtPath: path) else {
            return try data.write(to: URL(fileURLWithPath: path))
        }
        defer { try? file.close() }
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
    }
}
