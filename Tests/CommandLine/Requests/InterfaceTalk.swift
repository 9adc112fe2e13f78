import Foundation
import TestSupport
import Testing
import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

/// Requests to a daemon whose answers are held against the OpenAPI document.
final class InterfaceTalk {
    private let daemon: RunningDaemon
    private let description: InterfaceDescription
    private let operations: [String: InterfaceDescription.Operation]
    private(set) var unasked: Set<String>

    init(_ daemon: RunningDaemon) async throws {
        self.daemon = daemon
        description = try InterfaceDescription(try await daemon.client.send(AdminCall(.get, "/v1/openapi.json")).text)
        operations = Dictionary(uniqueKeysWithValues: description.operations.map { ($0.description, $0) })
        unasked = Set(operations.keys)
    }

    /// Sends a request, and holds its status and its body against the document.
    @discardableResult func ask(
        _ name: String,
        _ parts: [String] = [],
        query: String? = nil,
        body: String? = nil,
        accepting type: String? = nil,
        expecting status: Int
    ) async throws -> AdminResponse {
        let operation = try #require(operations[name], "\(name)")
        let method = try #require(AdminCall.Method(rawValue: operation.method))
        var path = operation.path
        for part in parts {
            if let parameter = path.firstRange(of: /\{\w+\}/) { path.replaceSubrange(parameter, with: part) }
        }
        if let query { path += "?" + query.replacing("(", with: "%28") }
        if let body, status != 400, let schema = operation.request {
            let violations = description.violations(of: try JSONParser.parse(body, depthLimit: 16), by: schema)
            #expect(violations.isEmpty, "\(name) takes \(body): \(violations)")
        }
        let headers = type.map { ["Accept": $0] } ?? [:]
        let answer = try await daemon.client.send(
            AdminCall(method, path, body: body.map { Array($0.utf8) }, headers: headers)
        )
        if let type { #expect(answer.headers["content-type"]?.hasPrefix(type) == true, "\(name): \(answer.headers)") }
        #expect(answer.status == status, "\(name): \(answer.text)")
        try check(answer, of: operation)
        if status < 300 { unasked.remove(name) }
        return answer
    }

    private func check(_ answer: AdminResponse, of operation: InterfaceDescription.Operation) throws {
        let content = try #require(operation.responses["\(answer.status)"], "\(operation): \(answer.status)")
        let type = answer.headers["content-type"]?.split(separator: ";").first.map(String.init)
        guard !content.isEmpty else {
            #expect(answer.body.isEmpty, "\(operation)")
            return
        }
        let media = try #require(type.flatMap { content[$0] }, "\(operation): \(type ?? "no type")")
        guard type?.hasSuffix("json") == true, let schema = media["schema"] else { return }
        let value = try JSONParser.parse(answer.text, depthLimit: 16)
        let violations = description.violations(of: value, by: schema)
        #expect(violations.isEmpty, "\(operation): \(violations)")
    }

    /// Follows the changes from now on up to the first update, and holds each event against the document.
    func follow() async throws {
        let operation = try #require(operations["GET /v1/changes"])
        let events = try #require(operation.responses["200"]?["text/event-stream"]?["x-events"])
        let change = #"{"changes":[{"insert":"Department","values":{"title":"New"}}]}"#
        var seen: Set<String> = []
        let (daemon, description) = (daemon, description)
        let answer = try await daemon.client.events(AdminCall(.get, "/v1/changes")) { event in
            seen.insert(event.event)
            let schema = try #require(events[event.event], "\(event.event)")
            let violations = description.violations(of: try JSONParser.parse(event.data, depthLimit: 16), by: schema)
            #expect(violations.isEmpty, "\(event.event): \(violations)")
            #expect((event.id != nil) == (event.event == "storeDidUpdate"), "\(event.event)")
            if event.event == "hello" { _ = try await daemon.call(.post, "/v1/transactions", change) }
            return event.event != "storeDidUpdate"
        }
        #expect(answer.status == 200)
        #expect(seen.isSuperset(of: ["hello", "storeDidUpdate"]))
        unasked.remove("GET /v1/changes")
    }
}
