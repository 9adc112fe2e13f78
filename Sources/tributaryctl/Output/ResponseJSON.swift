import TransactionLog
import TributaryAdmin
import TributaryChanges
import TributaryClient

extension AdminResponse {
    func json() throws -> JSONValue {
        do {
            return try JSONParser.parse(body, depthLimit: 32)
        } catch {
            throw AdminClientError.unreadableResponse("the daemon's answer is not JSON: \(error)")
        }
    }
}

extension ServerSentEvent {
    var json: JSONValue? { try? JSONParser.parse(Array(data.utf8), depthLimit: 32) }
}

extension JSONValue {
    /// The value without the quotes of JSON; nil for null.
    var shown: String? {
        switch self {
        case .null: nil
        case .string(let text): text
        case .array(let values): values.map { $0.shown ?? "-" }.joined(separator: " ")
        default: text
        }
    }

    func shown(_ key: String) -> String? { self[key]?.shown }

    func time(_ key: String) -> String? {
        switch self[key] {
        case .double(let seconds): TimeText.time(seconds)
        case .integer(let seconds): TimeText.time(Double(seconds))
        default: nil
        }
    }

    func count(_ key: String) -> Int64 {
        if case .integer(let count)? = self[key] { count } else { 0 }
    }

    func elements(_ key: String) -> [JSONValue]? {
        guard case .array(let elements)? = self[key] else { return nil }
        return elements
    }

    func members(_ key: String) -> [JSONMember]? {
        guard case .object(let members)? = self[key] else { return nil }
        return members
    }
}

enum EventText {
    static func line(_ event: ServerSentEvent) -> String {
        guard let data = event.json else { return "\(event.event) \(event.data)" }
        switch event.event {
        case "hello": return "following the store from token \(data.shown("token") ?? "?")"
        case "bye": return "the daemon stops"
        case "initialImport": return "the files that were in the log folder at the start are imported"
        case "storeDidUpdate": return update(data)
        case "activity": return "\(data.shown("title") ?? "something"): \(data.shown("phase") ?? "?")"
        case "segment":
            let file = data.shown("file") ?? data.shown("writer") ?? "?"
            let reason = data.shown("reason").map { ": " + $0 } ?? ""
            return "segment \(file) is \(data.shown("state") ?? "?")\(reason)"
        default: return "\(event.event) \(event.data)"
        }
    }

    private static func update(_ data: JSONValue) -> String {
        let number = data.shown("number") ?? "?"
        if data["everything"] == .boolean(true) { return "transaction \(number): more changes than can be listed" }
        var parts: [String] = []
        for kind in ["inserted", "updated", "deleted"] {
            for entity in data.members(kind) ?? [] {
                guard case .array(let ids) = entity.value, !ids.isEmpty else { continue }
                parts.append("\(ids.count) \(entity.key) \(kind)")
            }
        }
        if let entities = data.elements("collapsed"), !entities.isEmpty {
            parts.append("many of " + entities.compactMap(\.shown).joined(separator: ", "))
        }
        return "transaction \(number): \(parts.isEmpty ? "nothing visible" : parts.joined(separator: ", "))"
    }
}
