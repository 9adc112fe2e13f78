import TributaryAdmin
import TributaryChanges

struct ChangeRequest {
    let session: Session

    /// Returns the members of a change's `values`; texts are converted to the types of the model's attributes.
    func values(of arguments: [PropertyArgument], entity: String) async throws -> JSONValue {
        guard !arguments.isEmpty else { return .object([]) }
        let model = try await session.call(AdminCall(.get, .model)).decode(ModelMessage.self)
        var types: [String: String] = [:]
        var next = model.entities.first { $0.name == entity }
        while let current = next {
            for attribute in current.attributes { types[attribute.name] = attribute.type }
            if let links = arguments.first(where: { argument in
                !argument.isJSON && current.relationships.contains { $0.name == argument.name && $0.toMany }
            }) {
                throw CommandFailure(
                    reason:
                        "\(links.name) is a to-many relationship, which takes objects with --link \(links.name)=UUID: "
                        + "tributaryctl object update \(entity) UUID --link \(links.name)=UUID",
                    status: .usage
                )
            }
            next = current.parent.flatMap { parent in model.entities.first { $0.name == parent } }
        }
        return .object(
            try arguments.map { JSONMember(key: $0.name, value: try $0.value(type: types[$0.name])) }
        )
    }

    /// Sends the changes; the daemon applies requests with equal `key` once.
    func send(_ changes: [JSONValue], key: String? = nil) async throws -> AdminResponse {
        let body = JSONValue.object([JSONMember(key: "changes", value: .array(changes))])
        var bytes: [UInt8] = []
        body.write(to: &bytes)
        let headers = key.map { ["idempotency-key": $0] } ?? [:]
        return try await session.call(AdminCall(.post, .transactions, body: bytes, headers: headers))
    }

    func printResult(_ response: AdminResponse) throws {
        if session.json { return session.terminal.print(response.text) }
        guard case .array(let ids)? = try ResponseJSON.parse(response)["ids"] else { return }
        for id in ids { session.terminal.print(ResponseJSON.text(id) ?? "") }
    }
}
