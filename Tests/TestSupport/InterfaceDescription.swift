import TransactionLog
package import TributaryChanges

/// The OpenAPI document of the admin interface, with the values that it allows.
package struct InterfaceDescription: Sendable {
    package static let path = "Sources/TributaryDaemon/TributaryDaemon.docc/openapi.json"

    /// One method of one path.
    package struct Operation: Sendable, CustomStringConvertible {
        package var method: String
        package var path: String
        package var access: String
        /// Whether the operation is available only while the store is open.
        package var needsOpenStore: Bool
        package var query: Set<String>
        package var pathParameters: Set<String>
        package var request: JSONValue?
        /// For each status, the content by media type; empty for a response without a body.
        package var responses: [String: [String: JSONValue]]

        package var description: String { "\(method) \(path)" }
    }

    package let root: JSONValue

    package init() throws {
        root = try JSONParser.parse(try Article.text(of: InterfaceDescription.path), depthLimit: 32)
    }

    package func schema(_ name: String) -> JSONValue? { root["components"]?["schemas"]?[name] }

    package var schemaNames: Set<String> { Set(members(root["components"]?["schemas"]).map(\.key)) }

    package var operations: [Operation] {
        members(root["paths"]).flatMap { path in
            members(path.value).map { operation(method: $0.key.uppercased(), path: path.key, $0.value) }
        }
    }

    /// The target of a reference; the value itself when it is not a reference.
    package func resolved(_ value: JSONValue) -> JSONValue {
        guard case .string(let reference)? = value["$ref"] else { return value }
        return reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null }
    }

    private func operation(method: String, path: String, _ value: JSONValue) -> Operation {
        let parameters = elements(value["parameters"]).map(resolved)
        func names(_ place: JSONValue) -> Set<String> {
            Set(parameters.filter { $0["in"] == place }.compactMap { $0["name"]?.string })
        }
        var responses: [String: [String: JSONValue]] = [:]
        for response in members(value["responses"]) {
            let content = members(resolved(response.value)["content"])
            responses[response.key] = Dictionary(
                content.map { ($0.key, $0.value) },
                uniquingKeysWith: { $1 }
            )
        }
        return Operation(
            method: method,
            path: path,
            access: value["x-access"]?.string ?? "",
            needsOpenStore: value["x-answers"] == .string("while the store is open"),
            query: names(.string("query")),
            pathParameters: names(.string("path")),
            request: value["requestBody"]?["content"]?["application/json"]?["schema"],
            responses: responses
        )
    }

    package func members(_ value: JSONValue?) -> [JSONMember] {
        guard case .object(let members)? = value else { return [] }
        return members
    }

    package func elements(_ value: JSONValue?) -> [JSONValue] {
        guard case .array(let elements)? = value else { return [] }
        return elements
    }
}

extension JSONValue {
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }
}
