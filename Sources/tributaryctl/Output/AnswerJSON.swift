import TransactionLog
import TributaryAdmin
import TributaryChanges

/// Answers whose shape depends on the model, with their numbers kept exact.
enum AnswerJSON {
    private static let depthLimit = 32

    static func parse(_ answer: AdminAnswer) throws -> JSONValue {
        do {
            return try JSONParser.parse(answer.body, depthLimit: depthLimit)
        } catch {
            throw AdminClientError.unreadableAnswer("the daemon's answer is not JSON: \(error)")
        }
    }

    /// A value as a cell shows it: strings without quotation marks.
    static func text(_ value: JSONValue?) -> String? {
        switch value {
        case nil, .null: nil
        case .string(let text): text
        case .array(let values): values.map { text($0) ?? "-" }.joined(separator: " ")
        case let other?: other.text
        }
    }
}
