import TransactionLog
import TributaryAdmin
import TributaryChanges

/// Parses responses whose members depend on the model, with exact numbers.
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
