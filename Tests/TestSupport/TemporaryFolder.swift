import Foundation

/// A folder for one test, removed when the last reference is released.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// A folder in memory, where the machine supports one, for tests that open hundreds of stores.
    package static func inMemory(_ purpose: String) throws -> TemporaryFolder {
        let memory = "/dev/shm/"
        return try TemporaryFolder(purpose, in: FileManager.default.isWritableFile(atPath: memory) ? memory : nil)
    }

    package init(_ purpose: String = "test", in parent: String? = nil) throws {
        path = (parent ?? NSTemporaryDirectory()) + "tributary-\(purpose)-\(UUID().uuidString.lowercased().prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func path(_ name: String) -> String { path + "/" + name }

    package func write(_ text: String, to name: String) throws {
        let target = path(name)
        try FileManager.default.createDirectory(
            atPath: (target as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(fileURLWithPath: target))
    }
}
