import Foundation

/// The identity of the file from which the store was opened.
///
/// SQLite continues to use a file that was removed or moved away; data that it writes then is lost at the end of the
/// process.
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

    var isGone: Bool { Self.identity(of: path) != opened }

    /// Returns the identity of the file behind symbolic links, which is the one that SQLite opens.
    private static func identity(of path: String) -> Identity? {
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: resolved),
            let device = attributes[.systemNumber] as? NSNumber,
            let number = attributes[.systemFileNumber] as? NSNumber
        else { return nil }
        return Identity(device: device.intValue, number: number.intValue)
    }
}
