import Foundation

/// The bytes of a store's files at one moment, as the disk has them when the program or the machine ends then.
struct StoreImage: Sendable {
    private let database: Data
    private let wal: Data?

    /// Reads the files; those of a closed store have everything in the first one.
    init(of path: String, isClosed: Bool = false) throws {
        database = try Data(contentsOf: URL(fileURLWithPath: path))
        wal = isClosed ? nil : try? Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    }

    /// Writes the bytes into the files, which stay where they are.
    func restore(to path: String) throws {
        try StoreImage.write(database, to: path)
        if let wal { try StoreImage.write(wal, to: path + "-wal") } else { unlink(path + "-wal") }
        unlink(path + "-shm")
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
