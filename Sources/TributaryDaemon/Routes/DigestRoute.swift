import Hummingbird
import Synchronization
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// `GET /v1/digest`: equal for stores with equal states, with the version vector of the state.
enum DigestRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let objects = DigestedObjects()
        let work = LongWork(for: request) { try await digest(engine, objects) }
        return try await work.response(
            progress: { .members(["objects": .integer(objects.count)]) },
            result: { $0.text }
        )
    }

    private static func digest(_ engine: Engine, _ objects: DigestedObjects) async throws -> JSONValue {
        let digest = try await engine.container.store.readAside { reader in
            try reader.mergeState.digest { objects.count = $0 }
        }
        let vector = digest.vector.sorted { $0.key < $1.key }.map { writer, position in
            let hash = position.hash.map(JSONValue.string) ?? .null
            let value = JSONValue.members(["sequence": .count(position.sequence), "hash": hash])
            return JSONMember(key: writer.description, value: value)
        }
        return .members(["digest": .string(digest.digest), "vector": .object(vector)])
    }
}

final class DigestedObjects: Sendable {
    private let atomic = Atomic<Int64>(0)

    var count: Int64 {
        get { atomic.load(ordering: .relaxed) }
        set { atomic.store(newValue, ordering: .relaxed) }
    }
}
