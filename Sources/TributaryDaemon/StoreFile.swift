import Foundation

/// The file that the store was opened from.
///
/// SQLite goes on with a file that was removed or moved away, and what it writes there is gone with the process.
struct StoreFile: Sendable {
    private struct Identity: Equatable {
        var device: Int
        var number: Int
    }

    let path: String
    private let opened: Identity?

    init(path: String) {
        self.path = path
        opened = Self.identity(of: path)
    }

    /// Whether the path leads to another file now, or to none.
    var isGone: Bool { Self.identity(of: path) != opened }

    /// Of the file behind a symbolic link, for SQLite opens that.
    private static func identity(of path: String) -> Identity? {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved),
            let device = attributes[.systemNumber] as? NSNumber,
            let number = attributes[.systemFileNumber] as? NSNumber
        else { return nil }
        return Identity(device: device.intValue, number: number.intValue)
    }
}
