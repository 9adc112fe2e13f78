import Foundation
import TestSupport
import Testing
import Tributary

/// A store of exhibits whose large photos are files beside it, and bytes that are large.
struct LargeBinaries: Sendable {
    let folder: TemporaryFolder
    let container: PersistentContainer
    let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let other = Data(repeating: 7, count: 131_073)

    init() async throws { (folder, container) = try await Gallery.open() }

    /// The folder of the files.
    var blobs: String { folder.path("gallery.sqlite-blobs") }

    /// The paths of the files in it.
    var files: [String] {
        (FileManager.default.subpaths(atPath: blobs) ?? []).filter { $0.contains("/") }.sorted()
    }

    /// Saves an exhibit with the large photo.
    func save() async throws -> ManagedObjectID {
        try await container.save { context in
            let exhibit = try context.insert(Exhibit.self)
            (exhibit.photo, exhibit.title) = (large, "one")
            return exhibit.objectID
        }
    }

    /// Changes an exhibit in a context of its own.
    func change(_ id: ManagedObjectID, _ body: @escaping @Sendable (Exhibit) -> Void) async throws {
        try await container.save { body(try $0.existingObject(with: id, as: Exhibit.self)) }
    }

    func photos(_ container: PersistentContainer? = nil) async throws -> [Data?] {
        try await (container ?? self.container).performBackgroundTask { try $0.fetch(Exhibit.self).map(\.photo) }
    }
}
