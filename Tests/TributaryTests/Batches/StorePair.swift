import TestSupport
import TributaryStore

@testable import Tributary

/// Two stores that begin alike: one is written by batches, the other by objects.
struct StorePair {
    let batch: PersistentContainer
    let objects: PersistentContainer
    private let folders: [TemporaryFolder]

    init(_ open: (TemporaryFolder) async throws -> PersistentContainer) async throws {
        folders = [try TemporaryFolder.inMemory("batch"), try TemporaryFolder.inMemory("objects")]
        (batch, objects) = (try await open(folders[0]), try await open(folders[1]))
    }

    func close() async throws {
        try await batch.close()
        try await objects.close()
    }

    /// The merge state of both; clocks and numbers are the same because both save as often.
    func dumps() throws -> (batch: String, objects: String) {
        (try batch.store.read { try $0.mergeState.dump() }, try objects.store.read { try $0.mergeState.dump() })
    }

    /// Inserts rows in one store and objects in the other.
    func insert(_ entity: String, _ rows: [[String: PropertyValue]]) async throws {
        try await batch.execute(BatchInsertRequest(entity, rows: rows))
        try await save { context in
            for row in rows {
                guard case .uuid(let id)? = row["_id"] else { continue }
                let object = try context.insert(entity: entity, id: id)
                for (name, value) in row where name != "_id" { try object.setValue(value, forKey: name) }
            }
        }
    }

    /// Saves objects, in the store of objects alone unless said otherwise.
    func save(
        inBoth: Bool = false,
        author: String? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws {
        for container in inBoth ? [batch, objects] : [objects] {
            // The batches of a container name their context so.
            try await container.newBackgroundContext(name: "batch", author: author).save(body)
        }
    }
}
