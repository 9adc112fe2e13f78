import Foundation
import TransactionLog
import TributaryAdmin
import TributaryChanges

enum ResponseJSON {
    private static let depthLimit = 32

    static func parse(_ response: AdminResponse) throws -> JSONValue {
        do {
            return try JSONParser.parse(response.body, depthLimit: depthLimit)
        } catch {
            throw AdminClientError.unreadableResponse("the daemon's answer is not JSON: \(error)")
        }
    }

    static func text(_ value: JSONValue?) -> String? {
        switch value {
        case nil, .null: nil
        case .string(let text): text
        case .array(let values): values.map { text($0) ?? "-" }.joined(separator: " ")
        case let other?: other.text
        }
    }
}

enum EventText {
    static func line(_ event: ServerSentEvent) -> String {
        guard let data = try? JSONParser.parse(Array(event.data.utf8), depthLimit: 32) else {
            return "\(event.event) \(event.data)"
        }
        switch event.event {
        case "hello": return "following the store from token \(ResponseJSON.text(data["token"]) ?? "?")"
        case "bye": return "the daemon stops"
        case "initialImport": return "what was in the log folder at the start is imported"
        case "storeDidUpdate": return update(data)
        case "activity":
            let title = ResponseJSON.text(data["title"]) ?? "something"
            return "\(title): \(ResponseJSON.text(data["phase"]) ?? "?")"
        case "segment": return segment(data)
        default: return "\(event.event) \(event.data)"
        }
    }

    private static func update(_ data: JSONValue) -> String {
        let number = ResponseJSON.text(data["number"]) ?? "?"
        if data["everything"] == .boolean(true) { return "transaction \(number): more changes than can be listed" }
        var parts: [String] = []
        for kind in ["inserted", "updated", "deleted"] {
            guard case .object(let entities)? = data[kind] else { continue }
            for entity in entities {
                guard case .array(let ids) = entity.value, !ids.isEmpty else { continue }
                parts.append("\(ids.count) \(entity.key) \(kind)")
            }
        }
        if case .array(let entities)? = data["collapsed"], !entities.isEmpty {
            parts.append("many of " + entities.compactMap(ResponseJSON.text).joined(separator: ", "))
        }
        return "transaction \(number): \(parts.isEmpty ? "nothing visible" : parts.joined(separator: ", "))"
    }

    private static func segment(_ data: JSONValue) -> String {
        let file = ResponseJSON.text(data["file"]) ?? ResponseJSON.text(data["writer"]) ?? "?"
        let reason = ResponseJSON.text(data["reason"]).map { ": " + $0 } ?? ""
        return "segment \(file) is \(ResponseJSON.text(data["state"]) ?? "?")\(reason)"
    }
}
