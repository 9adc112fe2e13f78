import Hummingbird
import TributaryChanges
import TributaryStore

/// `GET /v1/digest`: what proves that two stores hold the same, with the vector that it is for.
enum DigestRoute {
    static func handle(_ request: AdminRequest) async throws -> Response {
        let digest = try await request.engine().read { try $0.digest() }
        let vector = digest.vector.sorted { $0.key < $1.key }.map { writer, position in
            JSONMember(
                key: writer.description,
                value: .object([
                    JSONMember(key: "sequence", value: .integer(Int64(clamping: position.sequence))),
                    JSONMember(key: "hash", value: position.hash.map(JSONValue.string) ?? .null),
                ])
            )
        }
        return .json(
            .object([
                JSONMember(key: "digest", value: .string(digest.digest)),
                JSONMember(key: "vector", value: .object(vector)),
            ])
        )
    }
}
