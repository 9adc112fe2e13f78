import HTTPTypes
import Hummingbird
import HummingbirdCore
import Synchronization
import TransactionLog
import Tributary
import TributaryAdmin
import TributaryChanges
import TributaryStore

/// `GET /v1/digest`: a digest that is equal for stores with equal states, with the version vector of the state.
enum DigestRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let engine = try request.engine()
        let objects = DigestedObjects()
        guard request.wantsEvents else {
            return .json(try await digest(engine, objects))
        }
        // The task is unstructured: it starts before the response, and is cancelled with it.
        let work = Task { try await digest(engine, objects).text }
        let stream = ProgressStream(
            progress: { .members(["objects": .integer(objects.count)]) },
            result: {
                try await withTaskCancellationHandler {
                    try await work.value
                } onCancel: {
                    work.cancel()
                }
            },
            path: .digest,
            logger: request.daemon.logger,
            channel: request.channel
        )
        return stream.response { work.cancel() }
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
